package io.sluice.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.proto.Status;
import io.sluice.server.service.PushSeal;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DecommissionTest {
  private boolean empty;
  private boolean sealed;
  private Runnable beforeSeal = () -> {};
  private long nowNanos;
  private final PushSeal seal =
      new PushSeal() {
        @Override
        public void seal() {
          beforeSeal.run();
          sealed = true;
        }

        @Override
        public void unseal() {
          sealed = false;
        }
      };
  private final Decommission decommission = new Decommission(() -> empty, seal, () -> nowNanos);

  private boolean ended() {
    return decommission.ended().toCompletableFuture().isDone();
  }

  @Test
  void endsAfterTwoEmptyChecks() {
    decommission.begin(0);
    empty = true;
    decommission.check();
    empty = false;
    decommission.check();
    empty = true;
    decommission.check();
    assertThat(ended()).isFalse();

    decommission.check();

    assertThat(ended()).isTrue();
    assertThat(decommission.hasEnded()).isTrue();
    assertThat(decommission.hasLeft()).as("the storage is open").isFalse();
    decommission.leave();
    assertThat(decommission.hasLeft()).isTrue();
    assertThat(decommission.hasEnded()).isTrue();
  }

  @Test
  void continuesIfAPushArrivesBeforePushesAreRefused() {
    decommission.begin(0);
    empty = true;
    decommission.check();
    beforeSeal = () -> empty = false;
    decommission.check();
    assertThat(ended()).isFalse();
    assertThat(sealed).as("the server accepts pushes again").isFalse();

    beforeSeal = () -> {};
    empty = true;
    decommission.check();
    decommission.check();

    assertThat(ended()).isTrue();
    assertThat(sealed).as("the server leaves with no later push").isTrue();
  }

  /** A handover that the test completes. */
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
  void endsOnceAllDataWasMoved() {
    FakeHandover handover = new FakeHandover();
    Decommission moving = new Decommission(() -> empty, seal, handover, () -> nowNanos);
    moving.begin(0, true);
    assertThat(handover.begun).isTrue();
    moving.check();
    assertThat(moving.hasEnded()).isFalse();

    handover.done = true;
    moving.check();

    assertThat(moving.hasEnded()).isTrue();
    assertThat(moving.hasMoved()).isTrue();
  }

  @Test
  void theLatestRequestDecidesWhetherDataIsMoved() {
    FakeHandover handover = new FakeHandover();
    Decommission moving = new Decommission(() -> empty, seal, handover, () -> nowNanos);
    for (Runnable order : List.<Runnable>of(() -> moving.begin(0), moving::drain, moving::cancel)) {
      moving.begin(0, true);
      assertThat(handover.begun).isTrue();

      order.run();

      assertThat(handover.begun).isFalse();
    }
  }

  @Test
  void aDeadlineEndsAnUnfinishedMove() {
    Decommission moving = new Decommission(() -> empty, seal, new FakeHandover(), () -> nowNanos);
    moving.begin(5000, true);
    nowNanos = TimeUnit.MILLISECONDS.toNanos(5001);

    moving.check();

    assertThat(moving.hasEnded()).isTrue();
    assertThat(moving.hasMoved()).isFalse();
  }

  @Test
  void anEmptyServerWithoutDecommissionDoesNotExit() {
    empty = true;
    decommission.check();
    decommission.check();
    decommission.check();

    assertThat(ended()).isFalse();
    assertThat(decommission.isActive()).isFalse();
  }

  @Test
  void endsAtItsDeadlineWithDataLeft() {
    decommission.begin(5000);
    nowNanos = TimeUnit.MILLISECONDS.toNanos(4999);
    decommission.check();
    assertThat(ended()).isFalse();

    nowNanos++;
    nowNanos += TimeUnit.MILLISECONDS.toNanos(1);
    decommission.check();

    assertThat(ended()).isTrue();
  }

  @Test
  void continuesWhenCancelledAndResetsTheCount() {
    decommission.begin(5000);
    empty = true;
    decommission.check();
    decommission.cancel();
    nowNanos = TimeUnit.DAYS.toNanos(1);
    decommission.check();
    assertThat(decommission.isActive()).isFalse();
    assertThat(ended()).isFalse();

    decommission.begin(0);
    decommission.check();
    assertThat(ended()).isFalse();
    decommission.check();
    assertThat(ended()).isTrue();
    assertThat(decommission.cancel().status()).isEqualTo(Status.DRAINING);
  }

  @Test
  void aDrainingServerEndsOnlyWhenDecommissioned() {
    empty = true;
    decommission.drain();
    decommission.check();
    decommission.check();
    decommission.check();
    assertThat(decommission.isActive()).isTrue();
    assertThat(ended()).isFalse();

    decommission.begin(0);
    decommission.check();
    decommission.check();
    assertThat(ended()).isTrue();
    assertThat(decommission.drain().status()).isEqualTo(Status.DRAINING);
  }

  @Test
  void cancelsADrain() {
    decommission.drain();
    decommission.cancel();

    assertThat(decommission.isActive()).isFalse();
  }

  @Test
  void refusesADeadlineInThePast() {
    assertThat(decommission.begin(-1).status()).isEqualTo(Status.BAD_REQUEST);
    assertThat(decommission.isActive()).isFalse();
  }
}
