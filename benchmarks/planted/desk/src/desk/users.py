"""Sign-up, sign-in and the administration of users."""

from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Query, Response
from fastapi.security import OAuth2PasswordRequestForm
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import select

from .database import Ticket, User
from .security import CurrentUser, Db, authenticate, hash_password, issue_token, require_admin

router = APIRouter()


class UserIn(BaseModel):
    email: str = Field(pattern=r"^[^@\s]+@[^@\s]+$", max_length=120)
    password: str = Field(min_length=8, max_length=64)
    name: str = ""


class UserChange(BaseModel):
    email: str | None = Field(default=None, pattern=r"^[^@\s]+@[^@\s]+$", max_length=120)
    name: str | None = None


class UserOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)
    id: int
    email: str
    name: str
    is_admin: bool


class Token(BaseModel):
    access_token: str
    token_type: str = "bearer"


@router.post("/users", status_code=201, response_model=UserOut)
def sign_up(user: UserIn, db: Db):
    """Sign up."""
    if db.scalar(select(User).where(User.email == user.email)) is not None:
        raise HTTPException(409, "A user with this email exists already")
    made = User(email=user.email, name=user.name, password=hash_password(user.password))
    db.add(made)
    db.commit()
    return made


@router.post("/login/token", response_model=Token)
def log_in(form: Annotated[OAuth2PasswordRequestForm, Depends()], db: Db):
    """Get a token for an email address and a password."""
    user = authenticate(db, form.username, form.password)
    if user is None:
        raise HTTPException(400, "Incorrect email or password")
    return Token(access_token=issue_token(user))


@router.get("/users/me", response_model=UserOut)
def read_me(user: CurrentUser):
    """Read the signed-in user."""
    return user


@router.patch("/users/me", response_model=UserOut)
def change_me(change: UserChange, user: CurrentUser, db: Db):
    """Change the signed-in user."""
    if change.email is not None:
        other = db.scalar(select(User).where(User.email == change.email))
        if other is not None and other.id != user.id:
            raise HTTPException(409, "A user with this email exists already")
    for name, value in change.model_dump(exclude_unset=True).items():
        setattr(user, name, value)
    db.commit()
    return user


@router.get("/users", response_model=list[UserOut], dependencies=[Depends(require_admin)])
def list_users(db: Db, offset: Annotated[int, Query(ge=0)] = 0, limit: Annotated[int, Query(ge=1, le=100)] = 50):
    """List all users, in the order in which they signed up."""
    return db.scalars(select(User).order_by(User.id).offset(offset).limit(limit)).all()


@router.delete("/users/{user_id}", status_code=204, dependencies=[Depends(require_admin)])
def delete_user(user_id: int, db: Db):
    """Delete a user who has no tickets."""
    user = db.get(User, user_id)
    if user is None:
        raise HTTPException(404, "No such user")
    if db.scalar(select(Ticket).where(Ticket.owner_id == user_id)) is not None:
        raise HTTPException(409, "The user has tickets")
    db.delete(user)
    db.commit()
    return Response(status_code=204)
