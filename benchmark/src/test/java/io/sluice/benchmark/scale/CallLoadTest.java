package io.sluice.benchmark.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.SettableFuture;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CallLoadTest {
  private final AtomicLong nanos = new AtomicLong();

  @Test
  void keepsTheNumberOfCallsInFlightBounded() throws Exception {
    Deque<SettableFuture<String>> open = new ArrayDeque<>();
    AtomicInteger replies = new AtomicInteger();
    // Two calls wait; the third one completes all of them.
    CallLoad.Call<String> inThrees =
        index -> {
          nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1));
          SettableFuture<String> reply = SettableFuture.create();
          open.add(reply);
          if (open.size() == 3) {
            open.forEach(one -> one.set("done"));
            open.clear();
          }
          return reply;
        };

    CallLoad.Result result =
        new CallLoad(3, nanos::get, 10_000)
            .run(9, inThrees, (index, reply) -> replies.incrementAndGet());

    assertThat(replies).hasValue(9);
    assertThat(result.latencyUs().getTotalCount()).isEqualTo(9);
    // Of three calls, the first one waits for all three.
    assertThat(result.latencyUs().getMaxValue()).isBetween(3_000L, 3_010L);
    assertThat(result.perSecond()).isCloseTo(1_000, Offset.offset(0.001));
  }

  @Test
  void failsWithTheFirstRefusal() {
    AtomicInteger calls = new AtomicInteger();
    CallLoad.Call<String> call =
        index -> {
          calls.incrementAndGet();
          return Futures.immediateFuture("refused " + index);
        };

    assertThatThrownBy(
            () ->
                new CallLoad(2, nanos::get, 10_000)
                    .run(
                        100,
                        call,
                        (index, reply) -> {
                          throw new IOException(reply);
                        }))
        .isInstanceOf(IOException.class)
        .hasMessage("refused 0");
    assertThat(calls).hasValue(1);
  }

  @Test
  void failsIfNoReplyArrives() {
    ListenableFuture<String> never = SettableFuture.create();

    assertThatThrownBy(
            () -> new CallLoad(1, nanos::get, 1).run(2, index -> never, (index, reply) -> {}))
        .hasMessage("no reply within 1 ms");
  }
}
