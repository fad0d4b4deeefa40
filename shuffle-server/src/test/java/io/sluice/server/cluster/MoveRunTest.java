package io.sluice.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.ShuffleMove;
import io.sluice.server.disk.RateLimiter;
import io.sluice.server.log.BlockBytes;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.service.PushSeal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class MoveRunTest {
  private static final int MAX_BODY = 8 << 10;
  private static final ShuffleKey SHUFFLE = new ShuffleKey("app", 1);

  private final FakeServers servers = new FakeServers(MAX_BODY, "a", "b", "c");
  private final FakeServers source = new FakeServers(MAX_BODY, "leaving");
  private final Deque<MovingShuffle> due = new ArrayDeque<>();
  private boolean sealed;
  private long moved;
  private final MoveRun run = run(source.node("leaving").store);
  private final Random random = new Random(3);

  private MoveRun run(ShuffleStore store) {
    PushSeal seal =
        new PushSeal() {
          @Override
          public void seal() {
            sealed = true;
          }

          @Override
          public void unseal() {
            sealed = false;
          }
        };
    return new MoveRun(
        store,
        seal,
        log ->
            new MovingShuffle(
                log,
                servers,
                () ->
                    new ShuffleCopy(
                        log,
                        source.reader(),
                        new RateLimiter(0, System::nanoTime),
                        bytes -> moved += bytes),
                "leaving"));
  }

  @AfterEach
  void close() {
    servers.close();
    source.close();
  }

  private void push(ShuffleKey shuffle, byte[]... blocks) throws SluiceException {
    FakeServers.push(source.node("leaving"), shuffle, Unpooled.wrappedBuffer(blocks));
  }

  private byte[] block(int partition, long attempt, int sequence, boolean last, int bytes) {
    return BlockBytes.block(
        attempt, (int) attempt, partition, sequence, last, BlockBytes.payload(random, bytes));
  }

  private void update() {
    run.update(due::add);
  }

  /** Executes one step of every shuffle that is due. */
  private void step() throws InterruptedException {
    for (int left = due.size(); left > 0; left--) {
      MovingShuffle next = due.remove();
      next.step(run.currentSeal());
      if (run.needsSteps(next)) {
        due.add(next);
      }
    }
  }

  private List<ShuffleMove> reportedMoves() {
    List<ShuffleMove> moves = new ArrayList<>();
    run.shuffles().forEach(one -> moves.add(one.move()));
    return moves;
  }

  private MovingShuffle only() {
    assertThat(run.shuffles()).hasSize(1);
    return run.shuffles().iterator().next();
  }

  @Test
  void sealsOnceTheDriverAppliedTheMoveAndEndsOnceTheRestIsCopied() throws Exception {
    push(SHUFFLE, block(0, 1, 0, false, 100), block(5, 1, 0, true, 3000));
    update();
    step();
    assertThat(servers.blocks(servers.node("a"), SHUFFLE))
        .containsExactlyInAnyOrder("0/1/0", "5/1/0");
    assertThat(only().waitsFor()).isEqualTo("the driver has not applied the move to a yet");
    update();
    assertThat(sealed).isFalse();

    reportedMoves().forEach(run::applied);
    push(SHUFFLE, block(0, 1, 1, true, 100));
    update();
    assertThat(sealed).isTrue();
    assertThat(run.isDone()).isFalse();
    step();
    update();

    assertThat(run.isDone()).isTrue();
    assertThat(only().bytesLeft()).isZero();
    assertThat(servers.blocks(servers.node("a"), SHUFFLE))
        .isEqualTo(source.blocks(source.node("leaving"), SHUFFLE))
        .hasSize(3);
    assertThat(moved).as("each byte once").isEqualTo(3200 + 3 * BlockHeader.LENGTH);
  }

  @Test
  void doesNotWaitForDeletedShuffles() throws Exception {
    push(SHUFFLE, block(0, 1, 0, true, 100));
    update();
    servers.unreachable.addAll(Set.of("a", "b", "c"));
    step();
    assertThat(only().waitsFor()).isEqualTo("a does not answer");
    ShuffleKey other = new ShuffleKey("app", 2);
    push(other, block(0, 1, 0, true, 100));
    servers.unreachable.clear();

    source.node("leaving").store.removeShuffles("app", List.of(1));
    update();
    step();
    reportedMoves().forEach(run::applied);
    update();
    step();
    update();

    assertThat(run.isDone()).isTrue();
    assertThat(servers.blocks(servers.node("a"), SHUFFLE)).isEmpty();
    assertThat(servers.blocks(servers.node("a"), other)).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource(names = {"NO_SPACE", "LEAVING", "BAD_VERSION"})
  void replacesATargetThatRefusesOrKeepsFailing(StatusCode refusal) throws Exception {
    push(SHUFFLE, block(0, 1, 0, true, 100));
    servers.refusals.put("a", refusal);
    servers.unreachable.add("b");
    update();
    step();
    assertThat(reportedMoves()).containsExactly((ShuffleMove) null);
    for (int i = 0; i < 5; i++) {
      step();
    }
    step();

    assertThat(reportedMoves().get(0).getTo()).isEqualTo(FakeServers.id("c", FakeServers.EPOCH));
    assertThat(servers.blocks(servers.node("c"), SHUFFLE)).hasSize(1);
  }

  @Test
  void replacesAnUntrustedTargetAtOnce() throws Exception {
    push(SHUFFLE, block(0, 1, 0, true, 100));
    servers.untrusted.addAll(Set.of("a", "b", "c"));
    update();
    for (int i = 0; i < 4; i++) {
      step();
    }
    assertThat(servers.connections).isEqualTo(3);
    assertThat(only().waitsFor()).isEqualTo("no other server is available; c cannot be trusted");

    servers.untrusted.remove("b");
    step();
    step();

    assertThat(reportedMoves().get(0).getTo()).isEqualTo(FakeServers.id("b", FakeServers.EPOCH));
    assertThat(servers.blocks(servers.node("b"), SHUFFLE)).hasSize(1);
  }

  @Test
  void restartsTheCopyIfTheTargetLostData() throws Exception {
    push(SHUFFLE, block(0, 1, 0, true, 100));
    update();
    step();
    reportedMoves().forEach(run::applied);
    update();
    assertThat(sealed).isTrue();
    servers.restart("a");

    step();
    assertThat(servers.blocks(servers.node("a"), SHUFFLE)).hasSize(1);
    update();
    assertThat(run.isDone()).isFalse();
    assertThat(sealed).as("the driver may not know the new epoch of the target").isFalse();
    reportedMoves().forEach(run::applied);
    update();
    step();
    update();

    assertThat(run.isDone()).isTrue();
    assertThat(reportedMoves().get(0).getTo().getEpoch()).isEqualTo(FakeServers.EPOCH + 1);
  }

  @Test
  void replacesATargetThatIsSealedTooAlthoughAllIsCopied() throws Exception {
    push(SHUFFLE, block(0, 1, 0, true, 100));
    update();
    step();
    reportedMoves().forEach(run::applied);
    update();
    assertThat(sealed).isTrue();
    // The target moves its data to this server.
    servers.refusals.put("a", StatusCode.LEAVING);

    step();
    update();
    assertThat(run.isDone()).isFalse();
    assertThat(sealed).as("the driver does not know the next target").isFalse();
    step();
    reportedMoves().forEach(run::applied);
    update();
    step();
    update();

    assertThat(run.isDone()).isTrue();
    assertThat(reportedMoves().get(0).getTo()).isEqualTo(FakeServers.id("b", FakeServers.EPOCH));
    assertThat(servers.blocks(servers.node("b"), SHUFFLE)).hasSize(1);
  }

  @Test
  void copiesPushesBetweenTwoSealsAlthoughAnEarlierPassEndsLate() throws Exception {
    ShuffleKey other = new ShuffleKey("app", 2);
    push(SHUFFLE, block(0, 1, 0, false, 100));
    push(other, block(0, 1, 0, true, 100));
    update();
    MovingShuffle first = moving(SHUFFLE);
    MovingShuffle second = moving(other);
    first.step(run.currentSeal());
    servers.refusals.put("a", StatusCode.NO_SPACE);
    second.step(run.currentSeal());
    servers.refusals.clear();
    second.step(run.currentSeal());
    reportedMoves().forEach(run::applied);
    push(SHUFFLE, block(0, 1, 1, false, 100));
    update();
    assertThat(sealed).isTrue();
    servers.restart("b");
    servers.afterPush =
        () -> {
          second.step(run.currentSeal());
          update();
          assertThat(sealed).as("the driver does not know the new epoch of b").isFalse();
          push(SHUFFLE, block(0, 1, 2, true, 100));
        };

    first.step(run.currentSeal());
    reportedMoves().forEach(run::applied);
    update();
    assertThat(sealed).isTrue();
    second.step(run.currentSeal());
    update();
    assertThat(run.isDone()).isFalse();
    first.step(run.currentSeal());
    update();

    assertThat(run.isDone()).isTrue();
    assertThat(servers.blocks(servers.node("a"), SHUFFLE))
        .containsExactlyInAnyOrder("0/1/0", "0/1/1", "0/1/2");
  }

  private MovingShuffle moving(ShuffleKey key) {
    return run.shuffles().stream().filter(one -> one.key().equals(key)).findAny().orElseThrow();
  }

  @Test
  void waitsForATargetThatRestarts() throws Exception {
    push(SHUFFLE, block(0, 1, 0, true, 100));
    servers.refusals.put("a", StatusCode.DRAINING);
    update();
    for (int i = 0; i < 4; i++) {
      step();
    }
    servers.refusals.clear();
    step();

    assertThat(servers.blocks(servers.node("a"), SHUFFLE)).hasSize(1);
  }

  @Test
  void aQuotaRefusalDoesNotReplaceTheTarget() throws Exception {
    push(SHUFFLE, block(0, 1, 0, true, 100));
    servers.refusals.put("a", StatusCode.DENIED);
    update();
    for (int i = 0; i < 10; i++) {
      step();
    }
    assertThat(only().waitsFor()).isEqualTo("a refused with DENIED");
    assertThat(servers.blocks(servers.node("b"), SHUFFLE)).isEmpty();

    servers.refusals.clear();
    step();

    assertThat(servers.blocks(servers.node("a"), SHUFFLE)).hasSize(1);
  }

  @Test
  void anEmptyServerIsNotDone() {
    update();

    assertThat(run.isDone()).isFalse();
    assertThat(sealed).isFalse();
  }

  static LongStream seeds() {
    return LongStream.range(0, 60);
  }

  /**
   * Goal: when a move is done, the target that the driver uses stores every block that the server
   * accepted. Method: pushes, steps, drivers and faults in random order.
   */
  @ParameterizedTest
  @MethodSource("seeds")
  void targetsStoreAllBlocksWhenTheMoveIsDone(long seed) throws Exception {
    Random chance = new Random(seed);
    Map<ShuffleKey, Integer> sequences = new HashMap<>();
    Map<ShuffleKey, ShuffleMove> heeded = new HashMap<>();
    Set<ShuffleKey> taken = new HashSet<>();
    List<String> names = List.of("a", "b", "c");
    for (int turn = 0; turn < 3000 && !run.isDone(); turn++) {
      boolean calm = turn > 300;
      switch (chance.nextInt(calm ? 4 : 8)) {
        case 0 -> update();
        case 1, 2 -> step();
        case 3 -> {
          for (ShuffleMove move : reportedMoves()) {
            if (move != null && chance.nextInt(2) == 0) {
              run.applied(move);
              heeded.put(new ShuffleKey("app", move.getShuffle().getShuffle()), move);
            }
          }
        }
        case 4, 5 -> {
          ShuffleKey key = new ShuffleKey("app", chance.nextInt(3));
          if (!sealed) {
            int first = sequences.getOrDefault(key, 0);
            int count = 1 + chance.nextInt(5);
            sequences.put(key, first + count);
            byte[][] blocks = new byte[count][];
            int partition = chance.nextInt(4);
            for (int i = 0; i < count; i++) {
              blocks[i] = block(partition, 1, first + i, false, 1 + chance.nextInt(7000));
            }
            push(key, blocks);
            taken.add(key);
          }
        }
        case 6 -> {
          // After the last check of a target it may crash, as after the exit of the server.
          if (run.shuffles().stream().noneMatch(one -> one.isFinished(run.currentSeal()))) {
            servers.restart(names.get(chance.nextInt(3)));
          }
        }
        default -> {
          servers.refusals.clear();
          servers.unreachable.clear();
          if (chance.nextBoolean()) {
            servers.unreachable.add(names.get(chance.nextInt(3)));
          } else {
            servers.refusals.put(
                names.get(chance.nextInt(3)),
                chance.nextBoolean() ? StatusCode.BUSY : StatusCode.DRAINING);
          }
        }
      }
      if (turn == 300) {
        servers.refusals.clear();
        servers.unreachable.clear();
      }
    }
    assertThat(run.isDone()).as("seed " + seed).isTrue();
    for (ShuffleKey key : taken) {
      ShuffleMove move = heeded.get(key);
      assertThat(servers.blocks(servers.node(move.getTo().getName()), key))
          .as("seed %d %s at %s", seed, key, move.getTo().getName())
          .containsAll(source.blocks(source.node("leaving"), key));
    }
  }

  @Test
  void aDamagedBlockIsReportedAndPreventsTheMoveOfItsShuffleUntilItIsLost() throws Exception {
    ByteBuf body = Unpooled.wrappedBuffer(block(0, 1, 0, true, 100));
    FakeServers.push(source.node("leaving"), SHUFFLE, body);
    body.setByte(60, body.getByte(60) ^ 1);
    update();
    step();

    assertThat(only().waitsFor())
        .startsWith("local read failed: partition 0 is damaged at byte 0: block at 0");
    assertThat(servers.blocks(servers.node("a"), SHUFFLE)).isEmpty();
    assertThat(source.reported).containsExactly(SHUFFLE + " 0@0");
  }
}
