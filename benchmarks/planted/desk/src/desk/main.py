"""The application."""

import os

from fastapi import FastAPI
from sqlalchemy import select
from sqlalchemy.orm import Session

from . import tickets, users
from .database import Base, User, engine
from .security import hash_password

app = FastAPI(title="Desk", version="1.0")
app.include_router(users.router)
app.include_router(tickets.router)


def seed() -> None:
    """Create the tables and the first administrator."""
    Base.metadata.create_all(engine)
    email, password = os.environ.get("DESK_ADMIN"), os.environ.get("DESK_ADMIN_PASSWORD")
    with Session(engine) as db:
        if email and password and db.scalar(select(User).where(User.email == email)) is None:
            db.add(User(email=email, name="Admin", password=hash_password(password), is_admin=True))
            db.commit()


seed()
