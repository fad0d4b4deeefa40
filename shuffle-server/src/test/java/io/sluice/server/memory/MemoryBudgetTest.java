package io.sluice.server.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MemoryBudgetTest {
  private static final int SLAB = 1024;

  /** The clock soon overflows, as a monotonic clock may. */
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1);

  private final MemoryBudget budget = budget(10);
  private final List<String> called = new ArrayList<>();

  @AfterEach
  void everythingIsReleased() {
    assertThat(budget.usedBytes()).isZero();
  }

  @Test
  void allocatesTheExactLengthAndCountsWholeSlabs() {
    for (int length : new int[] {1, SLAB - 1, SLAB, SLAB + 1, 5 * SLAB + 7}) {
      ByteBuf body = budget.tryAllocate("a", length);
      assertThat(body.capacity()).isEqualTo(length);
      assertThat(body.writableBytes()).isEqualTo(length);
      assertThat(body.writerIndex()).isZero();
      assertThat(body.isDirect()).isTrue();
      byte[] bytes = new byte[length];
      new Random(length).nextBytes(bytes);
      body.writeBytes(bytes);
      byte[] read = new byte[length];
      body.getBytes(0, read);
      assertThat(read).isEqualTo(bytes);
      assertThat(budget.usedBytes())
          .isEqualTo(budget.reservedBytes(length))
          .isEqualTo((length + SLAB - 1) / SLAB * (long) SLAB);
      assertThat(budget.usedBytes("a")).isEqualTo(budget.usedBytes());
      ByteBuf slice = body.retainedSlice(0, 1);
      body.release();
      assertThat(budget.usedBytes()).isPositive();
      slice.release();
      assertThat(budget.usedBytes()).isZero();
    }
    assertThat(budget.peakBytes()).isEqualTo(6 * SLAB);
  }

  @Test
  void refusesABodyLargerThanTheCapacity() {
    assertThatThrownBy(() -> budget.tryAllocate("a", 10 * SLAB + 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("10240");
    assertThat(budget.tryAllocate("a", 0).capacity()).isZero();
  }

  @Test
  void refusesWhenFullAndCallsWaitersAfterARelease() {
    ByteBuf all = budget.tryAllocate("a", 10 * SLAB);
    assertThat(budget.usedPermille()).isEqualTo(1000);
    assertThat(budget.tryAllocate("b", 1)).isNull();
    wait("b", SLAB);
    assertThat(called).isEmpty();
    assertThat(budget.waitingCount()).isEqualTo(1);
    all.release();
    assertThat(called).containsExactly("b1");
    assertThat(budget.waitingCount()).isZero();
    budget.tryAllocate("b", SLAB).release();
  }

  @Test
  void reservesAGrantForItsWaiter() {
    ByteBuf all = budget.tryAllocate("a", 10 * SLAB);
    wait("b", 10 * SLAB);
    all.release();
    assertThat(called).containsExactly("b10");
    assertThat(budget.tryAllocate("c", SLAB)).isNull();
    assertThat(budget.tryAllocate("b", SLAB)).as("a body of another length").isNull();
    ByteBuf body = budget.tryAllocate("b", 10 * SLAB);
    assertThat(body).isNotNull();
    body.release();
    budget.tryAllocate("c", SLAB).release();
  }

  @Test
  void revokesUnclaimedGrants() {
    ByteBuf all = budget.tryAllocate("a", 10 * SLAB);
    wait("b", 10 * SLAB);
    wait("c", SLAB);
    all.release();
    assertThat(called).containsExactly("b10");
    nanos.addAndGet(MemoryBudget.GRANT_NANOS - 1);
    budget.expireGrants();
    assertThat(called).containsExactly("b10");
    nanos.addAndGet(1);
    budget.expireGrants();
    assertThat(called).containsExactly("b10", "c1");
    budget.tryAllocate("c", SLAB).release();
    budget.tryAllocate("b", 10 * SLAB).release();
  }

  @Test
  void aWaiterWhoseGrantWasRevokedIsTheNextOfItsApplication() {
    ByteBuf all = budget.tryAllocate("a", 10 * SLAB);
    wait("b", 10 * SLAB);
    wait("b", 9 * SLAB);
    wait("b", 3 * SLAB);
    all.release();
    nanos.addAndGet(MemoryBudget.GRANT_NANOS);
    budget.expireGrants();
    assertThat(called).containsExactly("b10", "b9");

    assertThat(budget.tryAllocate("b", 10 * SLAB)).as("too late").isNull();
    wait("b", 10 * SLAB);
    wait("b", 2 * SLAB);
    budget.tryAllocate("b", 9 * SLAB).release();

    assertThat(called).containsExactly("b10", "b9", "b10");
    budget.tryAllocate("b", 10 * SLAB).release();
    assertThat(called).containsExactly("b10", "b9", "b10", "b3", "b2");
    budget.tryAllocate("b", 3 * SLAB).release();
    budget.tryAllocate("b", 2 * SLAB).release();
  }

  @Test
  void memoryOfCancelledWaitsAndGrantsGoesToTheNext() {
    ByteBuf all = budget.tryAllocate("a", 10 * SLAB);
    Runnable first = wait("b", 10 * SLAB);
    Runnable second = wait("b", 9 * SLAB);
    wait("c", 10 * SLAB);
    first.run();
    first.run();
    all.release();
    assertThat(called).containsExactly("b9");
    second.run();
    second.run();
    assertThat(called).containsExactly("b9", "c10");
    budget.tryAllocate("c", 10 * SLAB).release();
  }

  @Test
  void keepsAReserveForApplicationsBelowTheirShare() {
    MemoryBudget large = budget(160);
    List<ByteBuf> bodies = new ArrayList<>();
    for (ByteBuf body = large.tryAllocate("a", SLAB);
        body != null;
        body = large.tryAllocate("a", SLAB)) {
      bodies.add(body);
    }
    assertThat(bodies).as("all but a sixteenth").hasSize(150);
    Runnable retry = () -> called.add("a1");
    large.whenAvailable("a", SLAB, retry);
    assertThat(called).isEmpty();
    assertThat(large.pressure().tight()).as("blocks can be spilled").isTrue();
    bodies.add(large.tryAllocate("b", 10 * SLAB));
    assertThat(bodies).last().isNotNull();
    // Eleven slabs are free, one more than the reserve.
    bodies.remove(0).release();
    assertThat(called).isEmpty();
    for (int i = 0; i < 10; i++) {
      bodies.remove(0).release();
    }
    assertThat(called).containsExactly("a1");
    bodies.add(large.tryAllocate("a", SLAB));
    bodies.forEach(ByteBuf::release);
    assertThat(large.usedBytes()).isZero();
  }

  @Test
  void applicationsWithoutMemoryDoNotReduceTheShareOfOthers() {
    MemoryBudget large = budget(160);
    ByteBuf a = large.tryAllocate("a", 75 * SLAB);
    ByteBuf b = large.tryAllocate("b", 75 * SLAB);
    for (int i = 0; i < 9; i++) {
      large.tryAllocate("released " + i, SLAB).release();
      assertThat(large.tryAllocate("refused " + i, 11 * SLAB)).isNull();
      large.whenAvailable("cancelled " + i, 11 * SLAB, () -> {}).run();
      large.whenAvailable("called " + i, 11 * SLAB, () -> {});
      large.retryWaiters();
    }

    // Only the reserve is free, and the share of two applications is 80 slabs.
    ByteBuf more = large.tryAllocate("a", 5 * SLAB);
    assertThat(more).isNotNull();
    assertThat(large.tryAllocate("a", SLAB)).as("beyond the share").isNull();
    more.release();
    a.release();
    b.release();
    assertThat(large.usedBytes()).isZero();
  }

  @Test
  void admitsABodyLargerThanTheUnreservedMemoryOfAnIdleApplication() {
    MemoryBudget large = budget(160);
    ByteBuf first = large.tryAllocate("a", SLAB);
    assertThat(large.tryAllocate("a", 155 * SLAB)).isNull();
    large.whenAvailable("a", 155 * SLAB, () -> called.add("a155"));
    first.release();
    assertThat(called).containsExactly("a155");
    large.tryAllocate("a", 155 * SLAB).release();
  }

  /**
   * Goal: an application with few pushes never waits, independent of the load of another one.
   * Method: the large application allocates all memory that it gets and waits otherwise; spilling
   * frees its memory in large pieces; the small application allocates and releases a few slabs at a
   * time.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void aSmallApplicationNeverWaitsForALargeOne(long seed) {
    Random random = new Random(seed);
    MemoryBudget contended = budget(320);
    Deque<ByteBuf> ofLarge = new ArrayDeque<>();
    Deque<ByteBuf> ofSmall = new ArrayDeque<>();
    int refusals = 0;
    for (int step = 0; step < 20_000; step++) {
      if (random.nextInt(4) > 0) {
        int length = SLAB * (1 + random.nextInt(8));
        ByteBuf body = contended.tryAllocate("large", length);
        if (body == null) {
          refusals++;
          Runnable cancel = contended.whenAvailable("large", length, () -> {});
          if (contended.pressure().tight() && random.nextInt(20) == 0) {
            // A run has been written.
            for (int i = 0; i < 30 && !ofLarge.isEmpty(); i++) {
              ofLarge.removeFirst().release();
            }
          }
          cancel.run();
        } else {
          ofLarge.addLast(body);
        }
      } else {
        ByteBuf body = contended.tryAllocate("small", SLAB * (1 + random.nextInt(4)));
        assertThat(body).as("seed %d step %d", seed, step).isNotNull();
        ofSmall.addLast(body);
        while (ofSmall.size() > random.nextInt(5)) {
          ofSmall.removeFirst().release();
        }
      }
    }
    assertThat(refusals).as("the large application had to wait").isGreaterThan(1000);
    ofLarge.forEach(ByteBuf::release);
    ofSmall.forEach(ByteBuf::release);
    assertThat(contended.usedBytes()).isZero();
  }

  @Test
  void servesTheApplicationWithTheLeastUsageFirst() {
    ByteBuf a = budget.tryAllocate("a", 6 * SLAB);
    ByteBuf b = budget.tryAllocate("b", 3 * SLAB);
    ByteBuf c = budget.tryAllocate("c", SLAB);
    wait("a", SLAB);
    wait("b", SLAB);
    wait("b", 2 * SLAB);
    wait("c", SLAB);
    // One slab: c used it and has none now. Then b with 3 slabs, and a only when no other waits.
    c.release();
    assertThat(called).containsExactly("c1");
    budget.tryAllocate("c", SLAB).release();
    assertThat(called).containsExactly("c1", "b1");
    ByteBuf b2 = budget.tryAllocate("b", SLAB);
    b.release();
    assertThat(called).containsExactly("c1", "b1", "b2", "a1");
    b2.release();
    a.release();
    budget.tryAllocate("b", 2 * SLAB).release();
    budget.tryAllocate("a", SLAB).release();
  }

  @Test
  void grantsCountAsUsage() {
    ByteBuf most = budget.tryAllocate("x", 8 * SLAB);
    ByteBuf first = budget.tryAllocate("x", SLAB);
    ByteBuf second = budget.tryAllocate("x", SLAB);
    wait("a", SLAB);
    wait("a", SLAB);
    wait("b", SLAB);

    first.release();
    second.release();

    assertThat(called).as("not a twice").containsExactly("a1", "b1");
    budget.tryAllocate("a", SLAB).release();
    budget.tryAllocate("b", SLAB).release();
    budget.tryAllocate("a", SLAB).release();
    most.release();
  }

  @Test
  void newRequestsDoNotOvertakeWaiters() {
    ByteBuf most = budget.tryAllocate("a", 8 * SLAB);
    ByteBuf some = budget.tryAllocate("b", 2 * SLAB);
    Runnable large = wait("b", 4 * SLAB);
    some.release();
    assertThat(called).isEmpty();
    assertThat(budget.tryAllocate("a", SLAB)).as("uses more than b").isNull();
    assertThat(budget.tryAllocate("b", SLAB)).as("b has one waiting before").isNull();
    large.run();
    budget.tryAllocate("a", SLAB).release();
    most.release();
  }

  @Test
  void signalsPressure() {
    AtomicInteger signals = new AtomicInteger();
    budget.onPressure(signals::incrementAndGet);
    ByteBuf below = budget.tryAllocate("a", 7 * SLAB);
    budget.signalIfTight();
    assertThat(signals).hasValue(0);
    assertThat(budget.pressure())
        .isEqualTo(new MemoryPressure(7 * SLAB, 10 * SLAB, 7_680, 2_560, 0));
    assertThat(budget.pressure().tight()).isFalse();
    ByteBuf above = budget.tryAllocate("a", SLAB);
    assertThat(signals).hasValue(1);
    assertThat(budget.pressure().tight()).isTrue();
    budget.signalIfTight();
    assertThat(signals).hasValue(2);
    above.release();
    assertThat(budget.tryAllocate("a", 4 * SLAB)).isNull();
    assertThat(signals).hasValue(3);
    Runnable cancel = wait("a", 9 * SLAB);
    assertThat(budget.pressure().tight()).as("a body waits").isTrue();
    assertThat(budget.pressure().targetBytes()).isEqualTo(SLAB);
    cancel.run();
    below.release();
  }

  @Test
  void retryWaitersCallsAllWaiters() {
    ByteBuf all = budget.tryAllocate("a", 10 * SLAB);
    wait("a", SLAB);
    wait("b", SLAB);
    budget.retryWaiters();
    assertThat(called).containsExactlyInAnyOrder("a1", "b1");
    assertThat(budget.waitingCount()).isZero();
    all.release();
  }

  /** Random connections of several applications: no memory is lost and no body waits forever. */
  @Test
  void servesEveryWaiterEventually() {
    for (int seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      MemoryBudget small = budget(4 + random.nextInt(20));
      Deque<Runnable> loop = new ArrayDeque<>();
      List<ByteBuf> bodies = new ArrayList<>();
      Map<Integer, Runnable> waits = new HashMap<>();
      AtomicInteger served = new AtomicInteger();
      int connections = 200;
      for (int i = 0; i < connections; i++) {
        int connection = i;
        String application = "app-" + random.nextInt(4);
        int length = 1 + random.nextInt(4 * SLAB);
        Runnable[] admit = new Runnable[1];
        admit[0] =
            () -> {
              ByteBuf body = small.tryAllocate(application, length);
              if (body == null) {
                waits.put(
                    connection,
                    small.whenAvailable(application, length, () -> loop.addLast(admit[0])));
              } else {
                waits.remove(connection);
                bodies.add(body);
                served.incrementAndGet();
              }
            };
        loop.addLast(admit[0]);
        for (int steps = random.nextInt(4); steps > 0; steps--) {
          if (!loop.isEmpty() && random.nextBoolean()) {
            loop.removeFirst().run();
          } else if (!bodies.isEmpty()) {
            bodies.remove(random.nextInt(bodies.size())).release();
          }
        }
        assertThat(small.usedBytes()).isLessThanOrEqualTo(small.capacityBytes());
      }
      while (!loop.isEmpty() || !bodies.isEmpty()) {
        if (!loop.isEmpty()) {
          loop.removeFirst().run();
        } else {
          bodies.remove(bodies.size() - 1).release();
        }
      }
      assertThat(served).as("seed %d", seed).hasValue(connections);
      assertThat(waits).isEmpty();
      assertThat(small.usedBytes()).isZero();
      assertThat(small.waitingCount()).isZero();
      small.close();
    }
  }

  @Test
  void aLimitDelaysOnlyItsApplication() {
    budget.setLimit(Set.of("huge"), 4 * SLAB);
    ByteBuf first = budget.tryAllocate("huge", 3 * SLAB);
    assertThat(budget.tryAllocate("huge", 2 * SLAB)).as("past its limit").isNull();
    assertThat(budget.exceedsLimit("huge", 2 * SLAB)).isTrue();
    assertThat(budget.exceedsLimit("huge", SLAB)).isFalse();
    wait("huge", 2 * SLAB);
    assertThat(called).isEmpty();
    assertThat(budget.waitingForLimit()).containsExactly("huge");
    assertThat(budget.pressure().wantedBytes()).as("no memory is missing").isZero();
    ByteBuf other = budget.tryAllocate("other", 7 * SLAB);
    assertThat(other).as("does not wait for the limit of another").isNotNull();
    assertThat(budget.exceedsLimit("other", 7 * SLAB)).isFalse();
    first.release();
    assertThat(called).containsExactly("huge2");
    assertThat(budget.waitingForLimit()).isEmpty();
    budget.tryAllocate("huge", 2 * SLAB).release();
    other.release();
  }

  @Test
  void admitsABodyLargerThanTheLimitOfAnIdleApplication() {
    budget.setLimit(Set.of("huge"), 2 * SLAB);
    ByteBuf large = budget.tryAllocate("huge", 5 * SLAB);
    assertThat(large).isNotNull();
    wait("huge", 5 * SLAB);
    assertThat(called).isEmpty();
    large.release();
    assertThat(called).containsExactly("huge5");
    budget.tryAllocate("huge", 5 * SLAB).release();
  }

  @Test
  void callsWaitersWhenTheirLimitIsRemoved() {
    budget.setLimit(Set.of("huge"), SLAB);
    ByteBuf first = budget.tryAllocate("huge", SLAB);
    wait("huge", SLAB);
    budget.setLimit(Set.of("another"), SLAB);
    assertThat(called).containsExactly("huge1");
    budget.tryAllocate("huge", SLAB).release();
    first.release();
  }

  @Test
  void signalsPressureAtAQuarterOfALimit() {
    AtomicInteger signals = new AtomicInteger();
    budget.onPressure(signals::incrementAndGet);
    budget.setLimit(Set.of("huge"), 4 * SLAB);
    ByteBuf first = budget.tryAllocate("huge", SLAB);
    assertThat(signals).hasValue(0);
    ByteBuf second = budget.tryAllocate("huge", SLAB);
    assertThat(signals).hasValue(1);
    first.release();
    second.release();
  }

  @Test
  void refusesInvalidWatermarksAndSizes() {
    assertThatThrownBy(() -> new MemoryConfig(1 << 20, 1000, 75, 25))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new MemoryConfig(1000, 1024, 75, 25))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new MemoryConfig(1 << 20, 1024, 25, 25))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new MemoryConfig(1 << 20, 1024, 101, 25))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private Runnable wait(String application, int length) {
    String name = application + length / SLAB;
    return budget.whenAvailable(application, length, () -> called.add(name));
  }

  private MemoryBudget budget(int slabs) {
    return new MemoryBudget(new MemoryConfig((long) slabs * SLAB, SLAB, 75, 25), nanos::get);
  }
}
