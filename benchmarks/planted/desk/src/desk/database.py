"""Tables and sessions."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime

from sqlalchemy import ForeignKey, create_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship

engine = create_engine(os.environ.get("DESK_DATABASE", "sqlite:///desk.db"), connect_args={"check_same_thread": False})


def now() -> datetime:
    return datetime.now(UTC)


class Base(DeclarativeBase):
    pass


class User(Base):
    __tablename__ = "users"
    id: Mapped[int] = mapped_column(primary_key=True)
    email: Mapped[str] = mapped_column(unique=True)
    name: Mapped[str]
    password: Mapped[str]
    is_admin: Mapped[bool] = mapped_column(default=False)


class Ticket(Base):
    __tablename__ = "tickets"
    id: Mapped[int] = mapped_column(primary_key=True)
    owner_id: Mapped[int] = mapped_column(ForeignKey("users.id"))
    title: Mapped[str]
    body: Mapped[str]
    priority: Mapped[int]
    state: Mapped[str] = mapped_column(default="open")
    created_at: Mapped[datetime] = mapped_column(default=now)
    comments: Mapped[list["Comment"]] = relationship(cascade="all, delete-orphan")


class Comment(Base):
    __tablename__ = "comments"
    id: Mapped[int] = mapped_column(primary_key=True)
    ticket_id: Mapped[int] = mapped_column(ForeignKey("tickets.id"))
    author_id: Mapped[int] = mapped_column(ForeignKey("users.id"))
    text: Mapped[str]
    pinned: Mapped[bool] = mapped_column(default=False)


def open_session() -> Iterator[Session]:
    with Session(engine) as session:
        yield session
