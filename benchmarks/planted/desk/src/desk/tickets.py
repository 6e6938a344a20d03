"""Tickets and their comments."""

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, HTTPException, Query, Response
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from .database import Comment, Ticket, User
from .security import CurrentUser, Db

router = APIRouter(prefix="/tickets")


class TicketIn(BaseModel):
    title: str = Field(min_length=3, max_length=80)
    body: str = ""
    priority: int = Field(default=2, ge=1, le=5)


class TicketChange(BaseModel):
    title: str | None = Field(default=None, min_length=3, max_length=80)
    body: str | None = None
    priority: int | None = Field(default=None, ge=1, le=5)


class TicketOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)
    id: int
    owner_id: int
    title: str
    body: str
    priority: int
    state: str
    created_at: datetime


class TicketPage(BaseModel):
    total: int
    items: list[TicketOut]


class CommentIn(BaseModel):
    text: str = Field(min_length=1)
    pinned: bool = False


class CommentOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)
    id: int
    ticket_id: int
    author_id: int
    text: str
    pinned: bool


_SORTS = {"title": Ticket.title, "priority": Ticket.priority, "created_at": Ticket.id}


def owned_ticket(db: Session, ticket_id: int, user: User) -> Ticket:
    ticket = db.get(Ticket, ticket_id)
    if ticket is None:
        raise HTTPException(404, "No such ticket")
    if ticket.owner_id != user.id and not user.is_admin:
        raise HTTPException(403, "The ticket belongs to somebody else")
    return ticket


@router.post("", status_code=201, response_model=TicketOut)
def open_ticket(ticket: TicketIn, user: CurrentUser, db: Db):
    """Open a ticket."""
    made = Ticket(owner_id=user.id, title=ticket.title, body=ticket.body, priority=ticket.priority)
    db.add(made)
    db.commit()
    return made


@router.get("", response_model=TicketPage)
def list_tickets(
    user: CurrentUser,
    db: Db,
    state: Literal["open", "closed"] | None = None,
    min_priority: Annotated[int | None, Query(ge=1, le=5)] = None,
    q: str | None = None,
    sort: Literal["title", "priority", "created_at"] = "created_at",
    order: Literal["asc", "desc"] = "asc",
    offset: Annotated[int, Query(ge=0)] = 0,
    limit: Annotated[int, Query(ge=1, le=50)] = 20,
):
    """List the tickets of the signed-in user; an administrator sees all."""
    found = select(Ticket)
    if not user.is_admin:
        found = found.where(Ticket.owner_id == user.id)
    if state is not None:
        found = found.where(Ticket.state == state)
    if min_priority is not None:
        found = found.where(Ticket.priority >= min_priority)
    if q:
        found = found.where(Ticket.title.icontains(q))
    total = db.scalar(select(func.count()).select_from(found.subquery()))
    column = _SORTS[sort]
    found = found.order_by(column.desc() if order == "desc" else column, Ticket.id)
    return {"total": total, "items": db.scalars(found.offset(offset).limit(limit)).all()}


@router.get("/{ticket_id}", response_model=TicketOut)
def read_ticket(ticket_id: int, user: CurrentUser, db: Db):
    """Read a ticket."""
    return owned_ticket(db, ticket_id, user)


@router.patch("/{ticket_id}", response_model=TicketOut)
def change_ticket(ticket_id: int, change: TicketChange, user: CurrentUser, db: Db):
    """Change a ticket that is not closed."""
    ticket = owned_ticket(db, ticket_id, user)
    if ticket.state == "closed":
        raise HTTPException(409, "A closed ticket does not change")
    for name, value in change.model_dump(exclude_unset=True).items():
        setattr(ticket, name, value)
    db.commit()
    return ticket


@router.delete("/{ticket_id}", status_code=204)
def delete_ticket(ticket_id: int, user: CurrentUser, db: Db):
    """Delete a ticket with its comments."""
    ticket = owned_ticket(db, ticket_id, user)
    db.delete(ticket)
    db.commit()
    return Response(status_code=204)


@router.post("/{ticket_id}/close", response_model=TicketOut)
def close_ticket(ticket_id: int, user: CurrentUser, db: Db):
    """Close a ticket."""
    ticket = owned_ticket(db, ticket_id, user)
    if ticket.state == "closed":
        raise HTTPException(409, "The ticket is closed already")
    ticket.state = "closed"
    db.commit()
    return ticket


@router.post("/{ticket_id}/comments", status_code=201, response_model=CommentOut)
def add_comment(ticket_id: int, comment: CommentIn, user: CurrentUser, db: Db):
    """Comment on a ticket."""
    ticket = owned_ticket(db, ticket_id, user)
    made = Comment(ticket_id=ticket.id, author_id=user.id, text=comment.text, pinned=comment.pinned)
    db.add(made)
    db.commit()
    return made


@router.get("/{ticket_id}/comments", response_model=list[CommentOut])
def list_comments(
    ticket_id: int,
    user: CurrentUser,
    db: Db,
    pinned: bool | None = None,
    limit: Annotated[int, Query(ge=1, le=50)] = 20,
):
    """List the comments on a ticket, the oldest first."""
    ticket = owned_ticket(db, ticket_id, user)
    found = select(Comment).where(Comment.ticket_id == ticket.id)
    if pinned is not None:
        found = found.where(Comment.pinned == pinned)
    return db.scalars(found.order_by(Comment.id).limit(limit)).all()
