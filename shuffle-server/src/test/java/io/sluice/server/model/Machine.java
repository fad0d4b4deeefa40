package io.sluice.server.model;

import io.grpc.ManagedChannel;
import io.sluice.common.config.HostPort;
import io.sluice.transport.client.DataTransport;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;

/** Time, threads and network of one process of a simulated server, from its simulation. */
public interface Machine {
  /** Returns a new executor, whose tasks must not wait. */
  ScheduledExecutorService executor();

  /** Returns a new executor, whose tasks may wait, one after the other. */
  ScheduledExecutorService thread(String name);

  /** Runs the tasks of a server process that may wait, one after the other. */
  Executor background(String name);

  /** Returns an executor that runs each task on a thread of its own, which may wait. */
  Executor workers(String name);

  /** Waits until an executor of {@link #background} has run its tasks. */
  void await(Executor background);

  /** Time of the simulation. */
  long nanoTime();

  /** Waits, unless the caller must not. */
  void sleep(long nanos);

  /** Opens a channel to a coordinator. */
  ManagedChannel channel(HostPort coordinator);

  /** As {@link #channel}, for a caller that waits for its calls. */
  ManagedChannel blockingChannel(HostPort coordinator);

  /** Opens a transport to other servers. */
  DataTransport transport();

  /** The process ends: its executors run no more tasks, and its transports are closed. */
  void end();
}
