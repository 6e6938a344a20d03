"""The run database's migrations, run by Alembic when the store opens."""
