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
 * The driver's end of {@link RpcDriverRequests}. Spark's RPC threads are shared by all of Spark and
 * a coordinator may take its time, so answers are found on threads of this endpoint; a question too
 * many is answered with what is known already.
 */
public final class AssignmentEndpoint extends DriverEndpoint<byte[]> {
  /** Under which executors find it. */
  public static final String NAME = "SluiceAssignments";

  /** Different shuffles do not wait for each other's coordinator call. */
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

  /** Runs what may wait for a coordinator; refuses when too much waits already. */
  public Executor threads() {
    return threads;
  }

  @Override
  protected void receive(byte[] bytes, RpcCallContext context) {
    AssignmentRequest question;
    try {
      question = AssignmentRequest.fromBytes(bytes);
    } catch (SluiceException e) {
      context.sendFailure(e);
      return;
    }
    try {
      threads.execute(() -> answer(question, context));
    } catch (RejectedExecutionException e) {
      context.reply(encoded(assignments.newest(question.shuffle())));
    }
  }

  private void answer(AssignmentRequest question, RpcCallContext context) {
    try {
      context.reply(
          encoded(
              question.server() == null
                  ? assignments.newest(question.shuffle())
                  : assignments.replace(
                      question.shuffle(),
                      question.server(),
                      question.cause(),
                      question.partitions())));
    } catch (RuntimeException e) {
      context.sendFailure(e);
    }
  }

  private static byte[] encoded(ShuffleAssignment assignment) {
    return assignment == null ? UNKNOWN_SHUFFLE : assignment.toBytes();
  }

  /** Answers nothing more. Idempotent. */
  @Override
  public synchronized void close() {
    threads.shutdownNow();
    super.close();
  }
}
