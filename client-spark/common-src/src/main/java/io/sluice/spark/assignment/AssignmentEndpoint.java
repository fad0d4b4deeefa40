package io.sluice.spark.assignment;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.push.ApplicationAssignments;
import io.sluice.common.error.SluiceException;
import io.sluice.common.net.DaemonThreads;
import io.sluice.spark.DriverEndpoint;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.spark.rpc.RpcCallContext;
import org.apache.spark.rpc.RpcEnv;

/**
 * Driver's endpoint for {@link RpcDriverRequests}. A request may wait for a coordinator, so it runs
 * on a thread of this endpoint instead of Spark's shared RPC threads. If the queue is full, the
 * endpoint replies at once with the newest known assignment.
 */
public final class AssignmentEndpoint extends DriverEndpoint<byte[]> {
  /** Name under which executors look up the endpoint. */
  public static final String NAME = "SluiceAssignments";

  /** More than one, so that a slow coordinator call for one shuffle does not block the others. */
  private static final int THREADS = 4;

  private static final int MAX_WAITING = 4096;
  private static final byte[] UNKNOWN_SHUFFLE = {};

  private final ApplicationAssignments assignments;
  private final ThreadPoolExecutor threads;

  public AssignmentEndpoint(RpcEnv rpcEnv, ApplicationAssignments assignments) {
    super(rpcEnv, NAME, byte[].class);
    this.assignments = assignments;
    this.threads =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            10,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MAX_WAITING),
            DaemonThreads.numbered("sluice-assignments"));
    threads.allowCoreThreadTimeOut(true);
  }

  /** Runs calls that may wait for a coordinator; rejects calls when its queue is full. */
  public Executor threads() {
    return threads;
  }

  @Override
  protected void receive(byte[] bytes, RpcCallContext context) {
    AssignmentRequest request;
    try {
      request = AssignmentRequest.fromBytes(bytes);
    } catch (SluiceException e) {
      context.sendFailure(e);
      return;
    }
    try {
      threads.execute(() -> answer(request, context));
    } catch (RejectedExecutionException e) {
      context.reply(encoded(assignments.newest(request.shuffle())));
    }
  }

  private void answer(AssignmentRequest request, RpcCallContext context) {
    try {
      context.reply(
          encoded(
              request.server() == null
                  ? assignments.newest(request.shuffle())
                  : assignments.replace(
                      request.shuffle(), request.server(), request.cause(), request.partitions())));
    } catch (RuntimeException e) {
      context.sendFailure(e);
    }
  }

  private static byte[] encoded(ShuffleAssignment assignment) {
    return assignment == null ? UNKNOWN_SHUFFLE : assignment.toBytes();
  }

  /** Unregisters the endpoint and stops its threads. Idempotent. */
  @Override
  public synchronized void close() {
    threads.shutdownNow();
    super.close();
  }
}
