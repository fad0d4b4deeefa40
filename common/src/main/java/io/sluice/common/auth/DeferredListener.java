package io.sluice.common.auth;

import io.grpc.ServerCall;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;

/**
 * Listener of a call that is handled later, on another thread. Keeps the few events that arrive
 * before: no message is among them, because none was requested. Thread-safe.
 */
final class DeferredListener<Q> extends ServerCall.Listener<Q> {
  private final Queue<Consumer<ServerCall.Listener<Q>>> events = new ArrayDeque<>();

  /** Null until all earlier events were passed on. Guarded by this. */
  private ServerCall.Listener<Q> started;

  /** Passes the earlier events to a listener, and the later ones when they arrive. */
  void start(ServerCall.Listener<Q> listener) {
    while (true) {
      Consumer<ServerCall.Listener<Q>> next;
      synchronized (this) {
        next = events.poll();
        if (next == null) {
          started = listener;
          return;
        }
      }
      next.accept(listener);
    }
  }

  private void pass(Consumer<ServerCall.Listener<Q>> event) {
    ServerCall.Listener<Q> listener;
    synchronized (this) {
      if (started == null) {
        events.add(event);
        return;
      }
      listener = started;
    }
    event.accept(listener);
  }

  @Override
  public void onMessage(Q message) {
    pass(listener -> listener.onMessage(message));
  }

  @Override
  public void onHalfClose() {
    pass(ServerCall.Listener::onHalfClose);
  }

  @Override
  public void onCancel() {
    pass(ServerCall.Listener::onCancel);
  }

  @Override
  public void onComplete() {
    pass(ServerCall.Listener::onComplete);
  }

  @Override
  public void onReady() {
    pass(ServerCall.Listener::onReady);
  }
}
