"""Runs migrations on the connection that service.db hands over; there is no other way in."""

from alembic import context

from service.db import Base

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=Base.metadata,
    # Both databases can undo DDL: a migration happens as a whole or not at all.
    transactional_ddl=True,
    render_as_batch=connection.dialect.name == "sqlite",
    compare_type=True,
)
with context.begin_transaction():
    context.run_migrations()
