package io.sluice.server.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/** A budget while the JVM refuses direct memory, and afterwards. */
class RefusedMemoryTest {
  /** The clock soon overflows, as a monotonic clock may. */
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1);

  private final List<String> called = new ArrayList<>();

  @Test
  void continuesWithAllocatedMemoryWhenTheJvmRefusesMore() {
    // A chunk has 16 MiB, here 8 slabs: the second chunk is refused.
    int slab = 2 << 20;
    RefusingJvm jvm = new RefusingJvm(1);
    MemoryBudget poor = budget(24, slab, jvm);
    ByteBuf first = poor.tryAllocate("a", 4 * slab);
    poor.whenAvailable("a", 24 * slab, () -> called.add("waited for more than the arena"));
    ByteBuf second = poor.tryAllocate("b", 3 * slab);
    assertThat(poor.canFit(24 * slab)).isTrue();
    assertThat(poor.allocatableBytes()).isEqualTo(24L * slab);
    assertThat(called).isEmpty();

    assertThat(poor.tryAllocate("c", 2 * slab)).isNull();

    assertThat(called).containsExactly("waited for more than the arena");
    assertThat(poor.canFit(9 * slab)).isFalse();
    assertThat(poor.canFit(8 * slab)).isTrue();
    assertThat(poor.pressure().capacityBytes()).isEqualTo(8L * slab);
    assertThat(poor.allocatableBytes()).isEqualTo(8L * slab);
    assertThat(poor.capacityBytes()).isEqualTo(24L * slab);
    poor.whenAvailable("c", 9 * slab, () -> called.add("would wait forever"));
    assertThat(called).hasSize(2);
    assertThat(poor.waitingCount()).isZero();
    poor.whenAvailable("c", 2 * slab, () -> called.add("fits"));
    first.release();
    assertThat(called).hasSize(3);
    poor.tryAllocate("c", 2 * slab).release();
    second.release();
    assertThat(jvm.calls).isEqualTo(2);
    poor.close();
  }

  @Test
  void growsToItsCapacityWhenTheJvmAllocatesAgain() {
    int slab = 2 << 20;
    RefusingJvm jvm = new RefusingJvm(1);
    MemoryBudget poor = budget(24, slab, jvm);
    ByteBuf all = poor.tryAllocate("a", 8 * slab);
    assertThat(poor.tryAllocate("a", slab)).isNull();
    poor.whenAvailable("b", 5 * slab, () -> called.add("waits"));

    pass(999);
    poor.growArena();
    assertThat(jvm.calls).as("not yet").isEqualTo(2);
    pass(1);
    poor.growArena();
    assertThat(jvm.calls).isEqualTo(3);
    assertThat(poor.allocatableBytes()).isEqualTo(8L * slab);

    jvm.granted = Integer.MAX_VALUE;
    poor.growArena();
    pass(1_999);
    poor.growArena();
    assertThat(jvm.calls).as("after twice the delay").isEqualTo(3);
    assertThat(called).isEmpty();
    pass(1);
    poor.growArena();

    assertThat(called).containsExactly("waits");
    assertThat(poor.allocatableBytes()).isEqualTo(24L * slab);
    assertThat(poor.canFit(24 * slab)).isTrue();
    ByteBuf more = poor.tryAllocate("b", 5 * slab);
    ByteBuf rest = poor.tryAllocate("c", 11 * slab);
    all.release();
    more.release();
    rest.release();
    assertThat(jvm.calls).isEqualTo(5);
    poor.growArena();
    assertThat(jvm.calls).as("full capacity").isEqualTo(5);
    poor.close();
  }

  @Test
  void backsOffWhileTheJvmRefuses() {
    int slab = 2 << 20;
    RefusingJvm jvm = new RefusingJvm(0);
    MemoryBudget poor = budget(24, slab, jvm);
    assertThat(poor.tryAllocate("a", slab)).isNull();
    assertThat(poor.canFit(1)).isFalse();
    for (int second = 0; second < 3_600; second++) {
      pass(1_000);
      poor.growArena();
      assertThat(poor.tryAllocate("a", slab)).isNull();
    }
    // After 1, 2, 4, … 256 s, and then every 256 s.
    assertThat(jvm.calls).isEqualTo(1 + 9 + (3_600 - 511) / 256);
    jvm.granted = Integer.MAX_VALUE;
    pass(256_000);
    poor.growArena();
    poor.tryAllocate("a", slab).release();
    poor.close();
  }

  @Test
  void keepsItsBackOffWhenTheJvmAllocatesAndRefusesInTurns() {
    int slab = 16 << 20;
    RefusingJvm jvm = new RefusingJvm(0);
    MemoryBudget poor = budget(24, slab, jvm);
    assertThat(poor.tryAllocate("a", slab)).isNull();
    pass(1_000);
    jvm.granted = 2;
    poor.growArena();
    ByteBuf first = poor.tryAllocate("a", slab);
    assertThat(poor.tryAllocate("b", slab)).as("refused again").isNull();
    jvm.granted = Integer.MAX_VALUE;
    pass(1_999);
    poor.growArena();
    assertThat(poor.tryAllocate("b", slab)).isNull();
    pass(1);
    poor.growArena();
    poor.tryAllocate("b", slab).release();
    first.release();
    poor.close();
  }

  @Test
  void growsWithoutBlockingOtherThreads() throws Exception {
    int slab = 2 << 20;
    RefusingJvm jvm = new RefusingJvm(1);
    MemoryBudget poor = budget(24, slab, jvm);
    ByteBuf all = poor.tryAllocate("a", 8 * slab);
    assertThat(poor.tryAllocate("a", slab)).isNull();
    pass(1_000);
    jvm.granted = Integer.MAX_VALUE;
    jvm.meanwhile =
        () -> {
          Thread other = new Thread(() -> called.add("waiting " + poor.waitingCount()));
          other.start();
          try {
            other.join(60_000);
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
          // The server stops.
          poor.close();
        };
    poor.growArena();
    assertThat(called).containsExactly("waiting 0");
    assertThat(poor.allocatableBytes()).isZero();
    all.release();
  }

  private void pass(long ms) {
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(ms));
  }

  /**
   * Allocates a number of chunks and refuses others, like the JVM at its limit of direct memory.
   */
  private static final class RefusingJvm implements IntFunction<ByteBuffer> {
    int granted;
    int calls;
    Runnable meanwhile = () -> {};

    RefusingJvm(int granted) {
      this.granted = granted;
    }

    @Override
    public ByteBuffer apply(int bytes) {
      calls++;
      if (calls > granted) {
        throw new OutOfMemoryError("Cannot reserve direct buffer memory");
      }
      meanwhile.run();
      return ByteBuffer.allocateDirect(bytes);
    }
  }

  private MemoryBudget budget(int slabs, int slabBytes, RefusingJvm jvm) {
    MemoryConfig config = new MemoryConfig((long) slabs * slabBytes, slabBytes, 75, 25);
    return new MemoryBudget(config, nanos::get, jvm);
  }
}
