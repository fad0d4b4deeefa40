package io.sluice.spark.assignment;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.common.error.SluiceException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.rpc.RpcCallContext;
import org.apache.spark.rpc.RpcEndpoint;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.rpc.RpcEnv;
import scala.Function1;
import scala.PartialFunction;
import scala.runtime.AbstractPartialFunction;
import scala.runtime.BoxedUnit;

/**
 * The driver's end of {@link RpcDriverQuestions}. Spark's RPC threads are shared by all of Spark
 * and a coordinator may take its time, so answers are found on threads of this endpoint; a question
 * too many is answered with what is known already.
 */
public final class AssignmentEndpoint implements RpcEndpoint, AutoCloseable {
  /** Under which executors find it. */
  public static final String NAME = "SluiceAssignments";

  /** Different shuffles do not wait for each other's coordinator call. */
  private static final int THREADS = 4;

  private static final int MAX_WAITING = 4096;
  private static final byte[] UNKNOWN_SHUFFLE = {};

  private final RpcEnv rpcEnv;
  private final DriverAssignments assignments;
  private final ThreadPoolExecutor threads;
  private RpcEndpointRef self;

  public AssignmentEndpoint(RpcEnv rpcEnv, DriverAssignments assignments) {
    this.rpcEnv = rpcEnv;
    this.assignments = assignments;
    AtomicInteger started = new AtomicInteger();
    this.threads =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            10,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MAX_WAITING),
            work -> {
              Thread thread = new Thread(work, "sluice-assignments-" + started.getAndIncrement());
              thread.setDaemon(true);
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
  }

  /** Makes it known to executors. */
  public synchronized void start() {
    self = rpcEnv.setupEndpoint(NAME, this);
  }

  /** Runs what may wait for a coordinator; refuses when too much waits already. */
  public Executor threads() {
    return threads;
  }

  @Override
  public RpcEnv rpcEnv() {
    return rpcEnv;
  }

  @Override
  public PartialFunction<Object, BoxedUnit> receiveAndReply(RpcCallContext context) {
    return new Questions(context);
  }

  /** What Spark hands its messages to. */
  private final class Questions extends AbstractPartialFunction<Object, BoxedUnit> {
    private final RpcCallContext context;

    Questions(RpcCallContext context) {
      this.context = context;
    }

    @Override
    public boolean isDefinedAt(Object message) {
      return message instanceof byte[];
    }

    @Override
    @SuppressWarnings("unchecked") // A partial function of Scala: its result is the unit.
    public <A1, B1> B1 applyOrElse(A1 message, Function1<A1, B1> otherwise) {
      if (!(message instanceof byte[] question)) {
        return otherwise.apply(message);
      }
      receive(question, context);
      return (B1) BoxedUnit.UNIT;
    }
  }

  private void receive(byte[] bytes, RpcCallContext context) {
    AssignmentQuestion question;
    try {
      question = AssignmentQuestion.fromBytes(bytes);
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

  private void answer(AssignmentQuestion question, RpcCallContext context) {
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
    if (self != null) {
      rpcEnv.stop(self);
      self = null;
    }
  }
}
