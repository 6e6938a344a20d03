"""Opens the run database of settings: in a project's state folder only one that was begun here."""

from __future__ import annotations

from ..config.run_database import remember_database
from ..config.settings import Settings
from ..store.database.database import Store
from ..store.files.run_folder import prepare_state_dir


def open_store(settings: Settings, *, begins: bool = False) -> Store:
    """Open the run database; an empty one in memory where there is none in the state folder.

    Args:
        begins: make the database where there is none, and note that it was begun here.

    Raises:
        StorageError and others, as `Store.open` and, for a database that the setting `store` names, `Store.open_url`.
    """
    if settings.store is not None:
        return Store.open_url(settings.store)
    folder = settings.database_folder
    if not begins:
        return Store.open(folder, makes=False)
    prepare_state_dir(settings.state)
    store = Store.open(folder)
    if settings.state_dir is None:
        remember_database(folder, settings.root)
    return store
