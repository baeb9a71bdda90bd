"""Search output whose lines name their files, though a folder was given to search in."""

from core.trajectory.shell import parse_search_output


def test_a_searched_folder_is_not_taken_for_the_file() -> None:
    shown = parse_search_output("app/a.py:4:x = 1\napp/a.py:5:y = 2\napp/b-1.py:9:z", "/w", default_path="/w/app")
    assert [(s.path, s.start, s.lines) for s in shown] == [
        ("/w/app/a.py", 4, ("x = 1", "y = 2")),
        ("/w/app/b-1.py", 9, ("z",)),
    ]


def test_a_searched_file_gives_numbers_only() -> None:
    shown = parse_search_output("4:x = 1\n5-y = 2\n--\n9:z: int", "/w", default_path="/w/app/a.py")
    assert [(s.path, s.start, s.lines) for s in shown] == [
        ("/w/app/a.py", 4, ("x = 1", "y = 2")),
        ("/w/app/a.py", 9, ("z: int",)),
    ]
