package io.sluice.client;

import io.sluice.client.transport.DataConnection;
import io.sluice.proto.ServerId;

/**
 * What a push session and a read know alike of one server: the connection to it, and how long it
 * has been failing. Belongs to one thread.
 */
public abstract class Lane {
  private final ServerId server;
  private DataConnection connection;
  private boolean connecting;
  private int failures;
  private long failingSinceNanos;
  private boolean backingOff;
  private long notBeforeNanos;

  protected Lane(ServerId server) {
    this.server = server;
  }

  public final ServerId server() {
    return server;
  }

  public final String name() {
    return server.getName();
  }

  /** Null unless connected. */
  public final DataConnection connection() {
    return connection;
  }

  public final boolean isConnecting() {
    return connecting;
  }

  public final void connecting() {
    connecting = true;
    connection = null;
  }

  public void connected(DataConnection made) {
    connecting = false;
    connection = made;
  }

  public final void disconnected() {
    connecting = false;
    connection = null;
  }

  /** The server is well. */
  public final void succeeded() {
    failures = 0;
    backingOff = false;
  }

  public final void failed(long nowNanos) {
    if (failures++ == 0) {
      failingSinceNanos = nowNanos;
    }
  }

  /** Failures since it was last known to be well. */
  public final int failures() {
    return failures;
  }

  public final long failingSinceNanos() {
    return failingSinceNanos;
  }

  public final void backOffUntil(long nanos) {
    backingOff = true;
    notBeforeNanos = nanos;
  }

  public final void backOffEnded() {
    backingOff = false;
  }

  public final boolean isBackingOff() {
    return backingOff;
  }

  public final long notBeforeNanos() {
    return notBeforeNanos;
  }
}
