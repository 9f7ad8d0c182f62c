from tournaments.store.load import load


def test_x(cup):
    l = load(cup.folder, repair=True)
    assert l.repairs == []
    assert list(l.progress.games()) == list(cup.progress.games())
    print(l.manifest.rounds)
    l = load(cup.folder, repair=False)
    assert list(l.progress.games()) == list(cup.progress.games())
    cup.folder.database.write_bytes(b"x" * 1000)
    l = load(cup.folder, repair=False)
    print(l.repairs)
    assert list(l.progress.games()) == list(cup.progress.games())
    l = load(cup.folder, repair=True)
    print(l.repairs)
    assert list(l.progress.games()) == list(cup.progress.games())
    assert load(cup.folder, repair=True).repairs == []
    cup.finish()
    print(cup.folder.path.joinpath("manifest.json").read_text()[:3000])
