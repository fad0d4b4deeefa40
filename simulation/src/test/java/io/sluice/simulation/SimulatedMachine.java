package io.sluice.simulation;

import io.grpc.ManagedChannel;
import io.sluice.client.fake.VirtualExecutor;
import io.sluice.client.fake.VirtualTime;
import io.sluice.common.config.HostPort;
import io.sluice.server.model.Machine;
import io.sluice.transport.client.DataTransport;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;

/**
 * Time, threads and network of one process of a server. While the process is paused, its tasks wait
 * for the end of the pause. Belongs to a simulation.
 */
final class SimulatedMachine implements Machine {
  private static final long FOREVER_NANOS = TimeUnit.HOURS.toNanos(10);

  private final SimulatedThreads time;
  private final SimulatedNetwork network;
  private final String name;
  private final LongSupplier pausedUntilNanos;
  private final boolean slow;
  private final BiFunction<HostPort, Boolean, ManagedChannel> channels;
  private final List<ScheduledExecutorService> executors = new ArrayList<>();
  private final List<DataTransport> transports = new ArrayList<>();
  private boolean ended;

  /**
   * @param slow whether calls to disks take time, so that background work waits
   * @param channels opens a channel to a coordinator; the second argument: whether callers wait
   */
  SimulatedMachine(
      SimulatedThreads time,
      SimulatedNetwork network,
      String name,
      LongSupplier pausedUntilNanos,
      boolean slow,
      BiFunction<HostPort, Boolean, ManagedChannel> channels) {
    this.time = time;
    this.network = network;
    this.name = name;
    this.pausedUntilNanos = pausedUntilNanos;
    this.slow = slow;
    this.channels = channels;
  }

  @Override
  public ScheduledExecutorService executor() {
    return own(new VirtualExecutor(time, unlessPaused(Runnable::run)));
  }

  @Override
  public ScheduledExecutorService thread(String of) {
    return own(new VirtualExecutor(time, unlessPaused(time.serial(name + " " + of))));
  }

  private ScheduledExecutorService own(ScheduledExecutorService executor) {
    executors.add(executor);
    return executor;
  }

  private Executor unlessPaused(Executor runner) {
    return task -> {
      long left = pausedUntilNanos.getAsLong() - time.nanoTime();
      if (left > 0 && !ended) {
        time.schedule(left, () -> runner.execute(task));
      } else {
        runner.execute(task);
      }
    };
  }

  @Override
  public Executor background(String of) {
    return slow ? time.serial(name + " " + of) : Runnable::run;
  }

  @Override
  public Executor workers(String of) {
    return unlessPaused(
        task -> {
          SimulatedThreads.Task unused = time.start(name + " " + of, task);
        });
  }

  @Override
  public long nanoTime() {
    return time.nanoTime();
  }

  @Override
  public void await(Executor background) {
    VirtualTime.Signal done = new VirtualTime.Signal();
    background.execute(done::give);
    boolean unused = time.await(done, time.nanoTime() + FOREVER_NANOS);
  }

  @Override
  public void sleep(long nanos) {
    if (!time.mayWait()) {
      return;
    }
    time.advance(nanos);
    for (long left = pausedUntilNanos.getAsLong() - time.nanoTime();
        left > 0 && !ended;
        left = pausedUntilNanos.getAsLong() - time.nanoTime()) {
      time.advance(left);
    }
  }

  @Override
  public ManagedChannel channel(HostPort coordinator) {
    return channels.apply(coordinator, false);
  }

  @Override
  public ManagedChannel blockingChannel(HostPort coordinator) {
    return channels.apply(coordinator, true);
  }

  @Override
  public DataTransport transport() {
    DataTransport transport = network.transport(name);
    if (ended) {
      transport.close();
    } else {
      transports.add(transport);
    }
    return transport;
  }

  @Override
  public void end() {
    ended = true;
    network.cut(name);
    executors.forEach(ScheduledExecutorService::shutdownNow);
    transports.forEach(DataTransport::close);
  }
}
