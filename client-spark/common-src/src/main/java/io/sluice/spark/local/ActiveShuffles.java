package io.sluice.spark.local;

import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import org.apache.spark.SparkConf;
import org.apache.spark.rpc.RpcEnv;
import org.apache.spark.util.RpcUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * Executor: whether anybody may still read a shuffle. Asks the driver at most once in a while for
 * the shuffle that is being pushed, however many outputs of it there are. Thread-safe.
 */
public final class ActiveShuffles implements IntPredicate {
  private static final Logger LOG = LoggerFactory.getLogger(ActiveShuffles.class);

  /** At most this long a shuffle is pushed for nothing; one small message costs less. */
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final IntPredicate driver;
  private final LongSupplier nanoTime;
  // Guarded by this.
  private int shuffle = -1;
  private boolean wanted;
  private long askedNanos;
  private boolean warned;

  /**
   * @param driver asked about a shuffle; what it throws counts as a yes
   */
  public ActiveShuffles(IntPredicate driver, LongSupplier nanoTime) {
    this.driver = driver;
    this.nanoTime = nanoTime;
  }

  /** Asks the driver's {@link ReadingStagesEndpoint}, within {@code spark.rpc.askTimeout}. */
  public static IntPredicate driver(RpcEnv rpcEnv, SparkConf conf) {
    ClassTag<Boolean> answer = ClassTag$.MODULE$.apply(Boolean.class);
    return shuffle ->
        RpcUtils.makeDriverRef(ReadingStagesEndpoint.NAME, conf, rpcEnv).askSync(shuffle, answer);
  }

  @Override
  public synchronized boolean test(int asked) {
    long now = nanoTime.getAsLong();
    if (asked != shuffle || now - askedNanos >= FRESH_NANOS) {
      shuffle = asked;
      askedNanos = now;
      wanted = ask(asked);
    }
    return wanted;
  }

  private boolean ask(int asked) {
    try {
      return driver.test(asked);
    } catch (Exception e) {
      // Scala throws checked exceptions that it does not declare.
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      LOG.atLevel(warned ? Level.DEBUG : Level.WARN)
          .log("driver does not say whether a shuffle is wanted shuffle={}", asked, e);
      warned = true;
      return true;
    }
  }
}
