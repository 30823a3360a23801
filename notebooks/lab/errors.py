"""The one error of the workbench: a sentence that says what to do next."""


class LabError(RuntimeError):
    """Something outside the lesson is missing or in the way. A notebook shows its sentence alone."""

    def _render_traceback_(self) -> list[str]:
        """What IPython prints instead of a traceback."""
        return [str(self)]
