"""Passwords, tokens and who is asking."""

import hashlib
import os
from datetime import timedelta
from typing import Annotated

import jwt
from fastapi import Depends, HTTPException
from fastapi.security import OAuth2PasswordBearer
from sqlalchemy import select
from sqlalchemy.orm import Session

from .database import User, now, open_session

SECRET = os.environ["DESK_SECRET"]
bearer = OAuth2PasswordBearer(tokenUrl="/login/token")
Db = Annotated[Session, Depends(open_session)]


def hash_password(password: str) -> str:
    return hashlib.pbkdf2_hmac("sha256", password.encode(), SECRET.encode(), 1000).hex()


def verify_password(password: str, hashed: str) -> bool:
    return hash_password(password) == hashed


def authenticate(db: Session, email: str, password: str) -> User | None:
    user = db.scalar(select(User).where(User.email == email))
    if user is None or not verify_password(password, user.password):
        return None
    return user


def issue_token(user: User) -> str:
    return jwt.encode({"sub": str(user.id), "exp": now() + timedelta(hours=8)}, SECRET, algorithm="HS256")


def current_user(db: Db, token: Annotated[str, Depends(bearer)]) -> User:
    try:
        claims = jwt.decode(token, SECRET, algorithms=["HS256"])
    except jwt.InvalidTokenError:
        raise HTTPException(401, "Could not validate credentials") from None
    user = db.get(User, int(claims["sub"]))
    if user is None:
        raise HTTPException(401, "The user of this token is gone")
    return user


CurrentUser = Annotated[User, Depends(current_user)]


def require_admin(user: CurrentUser) -> User:
    if not user.is_admin:
        raise HTTPException(403, "Only administrators may do this")
    return user
