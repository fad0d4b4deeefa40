package io.sluice.backport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class CompletableFutureMethodsTest {
  private static final long LONG_S = 30;

  @Test
  void stagesAreComplete() {
    IOException failure = new IOException("failed");

    assertThat(CompletableFutureMethods.completedStage("a").toCompletableFuture())
        .isCompletedWithValue("a");
    assertThatThrownBy(() -> CompletableFutureMethods.failedFuture(failure).get())
        .isInstanceOf(ExecutionException.class)
        .hasCause(failure);
    assertThatThrownBy(
            () -> CompletableFutureMethods.failedStage(failure).toCompletableFuture().get())
        .hasCause(failure);
  }

  @Test
  void anIncompleteFutureCompletesAtItsTimeout() throws Exception {
    CompletableFuture<String> failing = new CompletableFuture<>();
    CompletableFuture<String> completing = new CompletableFuture<>();

    assertThat(CompletableFutureMethods.orTimeout(failing, 1, TimeUnit.MILLISECONDS))
        .isSameAs(failing);
    assertThat(
            CompletableFutureMethods.completeOnTimeout(
                completing, "late", 1, TimeUnit.MILLISECONDS))
        .isSameAs(completing);

    assertThat(completing.get(LONG_S, TimeUnit.SECONDS)).isEqualTo("late");
    assertThatThrownBy(() -> failing.get(LONG_S, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(TimeoutException.class);
  }

  @Test
  void aCompleteFutureStaysAsItIs() throws Exception {
    CompletableFuture<String> early = new CompletableFuture<>();
    CompletableFuture<String> timed =
        CompletableFutureMethods.completeOnTimeout(early, "late", LONG_S, TimeUnit.SECONDS);
    early.complete("early");

    assertThat(timed.get()).isEqualTo("early");
    assertThat(
            CompletableFutureMethods.orTimeout(
                CompletableFuture.completedFuture("done"), 0, TimeUnit.SECONDS))
        .isCompletedWithValue("done");
  }
}
