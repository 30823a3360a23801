"""The bench's bare scripts: they send what the real ones send, no command more and none less."""

from tools.bench import bare


def in_the_middle(client, case):
    """What the script sends once its key, or its sale, has been opened."""
    bare.open_up(client, case, ["watched"])
    return bare.watched(client, case.press, "watched")


def test_watched_tells_the_commands_of_one_press_with_their_arguments(r):
    fixed = next(case for case in bare.cases(r) if case.script == "lua/fixed_window")
    assert in_the_middle(r, fixed) == [["GET", "watched"], ["PTTL", "watched"], ["INCR", "watched"]]


def test_every_bare_script_sends_what_its_script_sends(r):
    for case in bare.cases(r):
        commands = in_the_middle(r, case)
        assert commands, case.script
        script = r.register_script(bare.bare(commands, case.keys, "watched", case.reply))
        bare.open_up(r, case, ["watched"])
        press = bare.caller(script, case.keys)
        assert bare.watched(r, press, "watched") == commands, case.script


def test_the_sale_is_measured_with_what_it_answers(r):
    answers = {}
    for case in bare.cases(r):
        if case.keys:
            bare.open_up(r, case, [])
            answers[case.script, case.outcome] = case.press("somebody")
    assert answers["lua/seckill", "bought"] == 1
    assert answers["lua/seckill", "sold out"] == 0
    assert answers["lua/seckill_enqueue", "bought"][0] == 1
