package io.sluice.coordinator.service;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.sluice.common.net.PeerConnections;

/** Keeps the caller's address where a service finds it. Thread-safe. */
public final class PeerAddress implements ServerInterceptor {
  private static final Context.Key<String> KEY = Context.keyWithDefault("sluice-peer", "");

  /** Address and port of who makes the call that the current thread handles. */
  static String current() {
    return KEY.get();
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    String text = PeerConnections.text(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR));
    return Contexts.interceptCall(Context.current().withValue(KEY, text), call, headers, next);
  }
}
