"""What small files of usual formats hold, by the ending of their names: the plainest content that a reader takes."""

from __future__ import annotations

import re

NAMED_FORMATS = ("csv", "tsv", "json", "yaml", "yml", "toml", "xml", "ini", "html", "md", "txt", "sql", "py", "log")
"""Formats that a word of a help text names; all others are known by the ending of a file's name only."""
CONTENTS = {
    "txt": ("first line\nsecond line\nthird line\n", "1\n2\n3\n"),
    "json": (
        '{"name": "Ann", "items": [1, 2, 3]}\n',
        '[{"name": "Ann", "age": 31}, {"name": "Bob", "age": 27}]\n',
        '{"name": \n',
    ),
    "yaml": (
        "name: Ann\nitems:\n  - 1\n  - 2\n",
        "- name: Ann\n  age: 31\n  member: true\n- name: Bob\n  age: 27\n  member: false\n",
        "---\nname: Ann\n",
        "name: [Ann\n",
    ),
    "toml": ('name = "Ann"\nitems = [1, 2]\n\n[owner]\nage = 31\n', 'name = "Ann\n'),
    "ini": ("[section]\nname = Ann\n",),
    "xml": ('<items><item name="Ann">1</item><item name="Bob">2</item></items>\n',),
    "html": ("<html><body><h1>Title</h1><p>One <b>two</b></p></body></html>\n",),
    "md": ("# Title\n\nOne *two* [three](https://example.com).\n\n- a\n- b\n",),
    "sql": (
        "select a, b from t where a = 1 order by b\n",
        "SELECT id, count(*) FROM users u JOIN t ON u.id = t.id -- all\nGROUP BY id;\nUPDATE t SET a = 'x';\n",
    ),
    "py": ("import os\n\n\ndef half(number):\n    return number / 2\n",),
    # Subtitles
    "srt": (
        "1\n00:00:01,000 --> 00:00:02,500\nHello world\n\n2\n00:00:03,000 --> 00:00:04,000\nOne <i>two</i>\n",
        "1\n00:01:00,000 --> 00:01:02,000\nApple\n",
    ),
    "vtt": (
        "WEBVTT\n\n00:00:01.000 --> 00:00:02.500\nHello world\n\n00:00:03.000 --> 00:00:04.000\nOne two\n",
        "WEBVTT\n\n00:01:00.000 --> 00:01:02.000\nApple\n",
    ),
    "ass": (
        "[Script Info]\nScriptType: v4.00+\n\n[V4+ Styles]\n"
        "Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, "
        "Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, "
        "MarginR, MarginV, Encoding\n"
        "Style: Default,Arial,20,&H00FFFFFF,&H000000FF,&H00000000,&H00000000,0,0,0,0,100,100,0,0,1,2,2,2,10,10,10,1\n"
        "\n[Events]\n"
        "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
        "Dialogue: 0,0:00:01.00,0:00:02.50,Default,,0,0,0,,Hello world\n"
        "Dialogue: 0,0:00:03.00,0:00:04.00,Default,,0,0,0,,One {\\i1}two{\\i0}\n",
    ),
    # Calendars and addresses
    "ics": (
        "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//Example//Calendar//EN\nBEGIN:VEVENT\nUID:1@example.com\n"
        "DTSTAMP:20240503T080000Z\nDTSTART:20240503T100000Z\nDTEND:20240503T110000Z\nSUMMARY:Breakfast\nEND:VEVENT\n"
        "BEGIN:VEVENT\nUID:2@example.com\nDTSTAMP:20240503T080000Z\nDTSTART:20240504T120000Z\nDTEND:20240504T133000Z\n"
        "SUMMARY:Lunch\nLOCATION:Kitchen\nEND:VEVENT\nEND:VCALENDAR\n",
    ),
    "vcf": (
        "BEGIN:VCARD\nVERSION:3.0\nFN:Ann Smith\nN:Smith;Ann;;;\nEMAIL:ann@example.com\nEND:VCARD\n"
        "BEGIN:VCARD\nVERSION:3.0\nFN:Bob Jones\nN:Jones;Bob;;;\nTEL:555-0100\nEND:VCARD\n",
    ),
    "eml": ("From: ann@example.com\nTo: bob@example.com\nSubject: Lunch\n\nAt noon?\n",),
    # Texts and their translations
    "po": (
        'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n'
        'msgid "apple"\nmsgstr "Apfel"\n\nmsgid "banana"\nmsgstr ""\n',
    ),
    "bib": (
        "@book{smith2024,\n  author = {Ann Smith},\n  title = {Apples},\n  year = {2024}\n}\n\n"
        "@article{jones2023,\n  author = {Bob Jones},\n  title = {Bananas},\n  year = {2023}\n}\n",
    ),
    "rst": ("Title\n=====\n\nOne *two*.\n\n- a\n- b\n",),
    # Maps and pictures
    "gpx": (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<gpx version="1.1" creator="example" xmlns="http://www.topografix.com/GPX/1/1"><trk><name>Walk</name><trkseg>'
        '<trkpt lat="47.1" lon="8.1"><ele>400</ele><time>2024-05-03T10:00:00Z</time></trkpt>'
        '<trkpt lat="47.2" lon="8.2"><ele>450</ele><time>2024-05-03T11:00:00Z</time></trkpt>'
        "</trkseg></trk></gpx>\n",
    ),
    "geojson": (
        '{"type": "FeatureCollection", "features": [{"type": "Feature", "id": 7, "properties": {"name": "Inn"}, '
        '"geometry": {"type": "Point", "coordinates": [8.1, 47.1]}}, {"type": "Feature", "id": 8, "properties": '
        '{"name": "Mill"}, "geometry": {"type": "Point", "coordinates": [8.2, 47.2]}}]}\n',
        '{"type": "Feature", "id": 9, "properties": {"name": "Bridge"}, '
        '"geometry": {"type": "Point", "coordinates": [8.3, 47.3]}}\n',
        '{"type": "Point", "coordinates": [8.1, 47.1]}\n',
    ),
    "svg": ('<svg xmlns="http://www.w3.org/2000/svg"><rect width="8" height="4" fill="red"/></svg>\n',),
    # Data
    "jsonl": ('{"name": "Ann", "age": 31}\n{"name": "Bob", "age": 27}\n',),
    "ndjson": ('{"name": "Ann", "age": 31}\n{"name": "Bob", "age": 27}\n',),
    "diff": ("--- a/list.txt\n+++ b/list.txt\n@@ -1,2 +1,2 @@\n apple\n-banana\n+cherry\n",),
    "patch": ("--- a/list.txt\n+++ b/list.txt\n@@ -1,2 +1,2 @@\n apple\n-banana\n+cherry\n",),
    "properties": ("name=Ann\nage=31\n",),
    "env": ("NAME=Ann\nAGE=31\n",),
    "fasta": (">one\nACGTAC\n>two\nGGTTAA\n",),
    "m3u": ("#EXTM3U\n#EXTINF:30,Ann - Apple\napple.mp3\n#EXTINF:45,Bob - Banana\nbanana.mp3\n",),
}
CONTENTS["yml"] = CONTENTS["yaml"]
ENDINGS = frozenset({*NAMED_FORMATS, *CONTENTS})
_ENDING = re.compile(r"(?:(?<=\*)|(?<=\w)|(?<![\w.]))\.([a-z]\w{1,9})(?![\w.]\w)", re.IGNORECASE)


_SHAPES = {
    "json": ("record", "list", "broken"),
    "yaml": ("mapping", "list", "document", "broken"),
    "yml": ("mapping", "list", "document", "broken"),
    "toml": ("table", "broken"),
    "geojson": ("collection", "feature", "point"),
}
"""What the contents of each format are, in their order."""


def shape_names(ending: str, stem: str, *, first: bool) -> list[str]:
    """Return a name for each of the contents of a format: what they are where that is known, else the usual name.

    Args:
        stem: the usual name, without the ending.
        first: whether the first of them is named by what it is, too.
    """
    shapes = _SHAPES.get(ending, ())
    usual = stem if stem.endswith(f".{ending}") else f"{stem}.{ending}"
    return [
        f"{shapes[at]}.{ending}" if at < len(shapes) and (at or first) else usual
        for at in range(len(CONTENTS.get(ending, CONTENTS["txt"])))
    ]


def endings_in(text: str) -> list[str]:
    """Return the known endings of file names that a text mentions: `srt` of `SubRip (*.srt)`, in order."""
    return [ending for ending in dict.fromkeys(map(str.lower, _ENDING.findall(text))) if ending in ENDINGS]
