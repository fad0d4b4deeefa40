package io.sluice.client.coordinator;

import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;
import io.sluice.common.net.DaemonThreads;
import io.sluice.common.tls.ClientTls;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Time, threads and network of a driver's calls to coordinators and servers: real ones, or those of
 * a simulation.
 *
 * @param nanoTime monotonic time, as {@link System#nanoTime}
 * @param background makes the single thread that renews the lease; its user shuts it down
 */
public record DriverEnvironment(
    LongSupplier nanoTime,
    Sleep sleep,
    Supplier<ScheduledExecutorService> background,
    Channels channels) {

  /** Blocks the calling thread. */
  public interface Sleep {
    void sleep(long milliseconds) throws InterruptedException;
  }

  /** Opens gRPC channels. */
  public interface Channels {
    /**
     * Opens a channel, which connects with its first call.
     *
     * @param proofs added to each call
     * @return owned by the caller, who shuts it down
     */
    ManagedChannel open(String host, int port, List<ClientInterceptor> proofs);
  }

  /** The clock, a daemon thread, and TCP connections of this process. */
  public static DriverEnvironment of(ClientTls tls, LongSupplier nanoTime) {
    return new DriverEnvironment(
        nanoTime,
        TimeUnit.MILLISECONDS::sleep,
        () -> Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("sluice-lease")),
        (host, port, proofs) -> tls.channel(host, port).intercept(proofs).build());
  }
}
