package io.sluice.client.security;

import io.grpc.ServerBuilder;
import io.sluice.common.auth.AuditLog;
import io.sluice.common.auth.CallDenials;
import io.sluice.common.auth.CallGuard;
import io.sluice.common.auth.Caller;
import io.sluice.common.auth.ClusterSecurity;
import java.util.Set;
import java.util.concurrent.Executor;

/** A guard that authenticates callers and allows all requests, or refuses all. */
public final class TestGuard {
  private TestGuard() {}

  /**
   * @param refusal message of the refusal of every request; null: no request is refused
   */
  public static void guard(ClusterSecurity security, ServerBuilder<?> server, String refusal) {
    guard(security, server, refusal, Runnable::run);
  }

  /** As {@link #guard(ClusterSecurity, ServerBuilder, String)}, with threads for signatures. */
  static void guard(
      ClusterSecurity security, ServerBuilder<?> server, String refusal, Executor signatures) {
    security
        .guard(
            server,
            Set.of(),
            new CallGuard.Rules() {
              @Override
              public String refusal(Caller caller, String call) {
                return null;
              }

              @Override
              public String refusal(Caller caller, String call, Object request) {
                return refusal;
              }
            },
            new CallDenials(new AuditLog(), System::nanoTime),
            signatures)
        .forEach(server::addService);
  }
}
