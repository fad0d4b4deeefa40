package io.sluice.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.proto.Status;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DecommissionTest {
  private boolean empty;
  private long nowNanos;
  private final Decommission decommission = new Decommission(() -> empty, () -> nowNanos);

  private boolean ended() {
    return decommission.ended().toCompletableFuture().isDone();
  }

  @Test
  void endsWhenItWasEmptyTwiceInARow() {
    decommission.begin(0);
    empty = true;
    decommission.look();
    empty = false;
    decommission.look();
    empty = true;
    decommission.look();
    assertThat(ended()).isFalse();

    decommission.look();

    assertThat(ended()).isTrue();
    assertThat(decommission.hasEnded()).isTrue();
  }

  /** Of which the test says when it is done. */
  private static final class FakeHandover implements Decommission.Handover {
    private boolean begun;
    private boolean done;

    @Override
    public void begin() {
      begun = true;
    }

    @Override
    public void cancel() {
      begun = false;
    }

    @Override
    public boolean isDone() {
      return begun && done;
    }
  }

  @Test
  void endsAsSoonAsWhatItHeldHasBeenHandedOn() {
    FakeHandover handover = new FakeHandover();
    Decommission moving = new Decommission(() -> empty, handover, () -> nowNanos);
    moving.begin(0, true);
    assertThat(handover.begun).isTrue();
    moving.look();
    assertThat(moving.hasEnded()).isFalse();

    handover.done = true;
    moving.look();

    assertThat(moving.hasEnded()).isTrue();
  }

  @Test
  void theLatestOrderSaysWhetherAnythingIsHandedOn() {
    FakeHandover handover = new FakeHandover();
    Decommission moving = new Decommission(() -> empty, handover, () -> nowNanos);
    for (Runnable order : List.<Runnable>of(() -> moving.begin(0), moving::stay, moving::cancel)) {
      moving.begin(0, true);
      assertThat(handover.begun).isTrue();

      order.run();

      assertThat(handover.begun).isFalse();
    }
  }

  @Test
  void aDeadlineEndsAMoveThatIsNotDone() {
    Decommission moving = new Decommission(() -> empty, new FakeHandover(), () -> nowNanos);
    moving.begin(5000, true);
    nowNanos = TimeUnit.MILLISECONDS.toNanos(5001);

    moving.look();

    assertThat(moving.hasEnded()).isTrue();
  }

  @Test
  void anEmptyServerThatNobodyDecommissionedStays() {
    empty = true;
    decommission.look();
    decommission.look();
    decommission.look();

    assertThat(ended()).isFalse();
    assertThat(decommission.isUnderWay()).isFalse();
  }

  @Test
  void endsAtItsDeadlineWithDataLeft() {
    decommission.begin(5000);
    nowNanos = TimeUnit.MILLISECONDS.toNanos(4999);
    decommission.look();
    assertThat(ended()).isFalse();

    nowNanos++;
    nowNanos += TimeUnit.MILLISECONDS.toNanos(1);
    decommission.look();

    assertThat(ended()).isTrue();
  }

  @Test
  void goesOnWhenCancelledAndCountsAnew() {
    decommission.begin(5000);
    empty = true;
    decommission.look();
    decommission.cancel();
    nowNanos = TimeUnit.DAYS.toNanos(1);
    decommission.look();
    assertThat(decommission.isUnderWay()).isFalse();
    assertThat(ended()).isFalse();

    decommission.begin(0);
    decommission.look();
    assertThat(ended()).isFalse();
    decommission.look();
    assertThat(ended()).isTrue();
    assertThat(decommission.cancel().status()).isEqualTo(Status.DRAINING);
  }

  @Test
  void aServerThatStaysDoesNotEndUntilItIsToldToLeave() {
    empty = true;
    decommission.stay();
    decommission.look();
    decommission.look();
    decommission.look();
    assertThat(decommission.isUnderWay()).isTrue();
    assertThat(ended()).isFalse();

    decommission.begin(0);
    decommission.look();
    decommission.look();
    assertThat(ended()).isTrue();
    assertThat(decommission.stay().status()).isEqualTo(Status.DRAINING);
  }

  @Test
  void aServerThatStayedGoesOn() {
    decommission.stay();
    decommission.cancel();

    assertThat(decommission.isUnderWay()).isFalse();
  }

  @Test
  void refusesADeadlineInThePast() {
    assertThat(decommission.begin(-1).status()).isEqualTo(Status.BAD_REQUEST);
    assertThat(decommission.isUnderWay()).isFalse();
  }
}
