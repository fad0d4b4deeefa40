package io.sluice.coordinator.service;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.sluice.common.net.PeerConnections;

/** Stores the address of the client in the gRPC context of a call. Thread-safe. */
public final class PeerAddress implements ServerInterceptor {
  private static final Context.Key<String> KEY = Context.keyWithDefault("sluice-peer", "");

  /** Address and port of the client of the current call. */
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
