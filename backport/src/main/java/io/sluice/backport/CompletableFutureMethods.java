package io.sluice.backport;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Newer methods of {@link CompletableFuture}. */
@MethodsOf(CompletableFuture.class)
public final class CompletableFutureMethods {
  private CompletableFutureMethods() {}

  /** Differs from the JDK's method: the stage is a future that the caller could complete. */
  public static <U> CompletionStage<U> completedStage(U value) {
    return CompletableFuture.completedFuture(value);
  }

  public static <U> CompletableFuture<U> failedFuture(Throwable failure) {
    CompletableFuture<U> future = new CompletableFuture<>();
    future.completeExceptionally(failure);
    return future;
  }

  /** Differs from the JDK's method: the stage is a future that the caller could complete. */
  public static <U> CompletionStage<U> failedStage(Throwable failure) {
    return failedFuture(failure);
  }

  public static <T> CompletableFuture<T> orTimeout(
      CompletableFuture<T> self, long timeout, TimeUnit unit) {
    return atTimeout(self, () -> self.completeExceptionally(new TimeoutException()), timeout, unit);
  }

  public static <T> CompletableFuture<T> completeOnTimeout(
      CompletableFuture<T> self, T value, long timeout, TimeUnit unit) {
    return atTimeout(self, () -> self.complete(value), timeout, unit);
  }

  @SuppressWarnings("FutureReturnValueIgnored") // The caller has the future.
  private static <T> CompletableFuture<T> atTimeout(
      CompletableFuture<T> future, Runnable action, long timeout, TimeUnit unit) {
    if (!future.isDone()) {
      Future<?> scheduled = Timer.THREAD.schedule(action, timeout, unit);
      future.whenComplete((value, failure) -> scheduled.cancel(false));
    }
    return future;
  }

  /** One daemon thread, started at the first timeout, as in the JDK. */
  private static final class Timer {
    static final ScheduledThreadPoolExecutor THREAD =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "sluice-future-timeouts");
              thread.setDaemon(true);
              return thread;
            });

    static {
      THREAD.setRemoveOnCancelPolicy(true);
    }
  }
}
