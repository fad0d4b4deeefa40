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
 * Executor: whether a stage may still read a shuffle. Asks the driver at most every two seconds
 * about the shuffle that is being pushed, and caches the reply for all its outputs. Thread-safe.
 */
public final class ActiveShuffles implements IntPredicate {
  private static final Logger LOG = LoggerFactory.getLogger(ActiveShuffles.class);

  /** Maximum age of a cached reply: outputs may be pushed needlessly for this time. */
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final IntPredicate driver;
  private final LongSupplier nanoTime;
  // Guarded by this.
  private int shuffle = -1;
  private boolean active;
  private long askedNanos;
  private boolean warned;

  /**
   * @param driver asks the driver about a shuffle; an exception counts as true
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
      active = ask(asked);
    }
    return active;
  }

  private boolean ask(int asked) {
    try {
      return driver.test(asked);
    } catch (Exception e) {
      // Scala code throws undeclared checked exceptions.
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      LOG.atLevel(warned ? Level.DEBUG : Level.WARN)
          .log(
              "driver does not report whether a shuffle is active, pushing it shuffle={}",
              asked,
              e);
      warned = true;
      return true;
    }
  }
}
