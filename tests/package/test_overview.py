"""The first part of the tour: what it prints."""

from pytrees.tour import overview


def test_every_part_of_the_tour_shows_what_it_says(monkeypatch, capsys):
    monkeypatch.setattr(overview, "N_SAMPLES", 500)
    overview.run_overview()
    printed = capsys.readouterr().out
    for line in (
        "    worst radius <= 16.8",
        "times as fast here",
        "    equal to those of four threads: yes",
        "    equal to those of the reference in plain Python: yes",
        "    errors:     none",
        "    22 training errors, and no tree of two levels has fewer; the grown tree has 33",
    ):
        assert line in printed
