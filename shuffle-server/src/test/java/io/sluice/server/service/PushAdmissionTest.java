package io.sluice.server.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.ApplicationLease;
import io.sluice.proto.Push;
import io.sluice.proto.ShuffleId;
import io.sluice.server.log.BlockBytes;
import io.sluice.server.log.LogConfig;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.log.StoreConfig;
import io.sluice.server.memory.MemoryBudget;
import io.sluice.server.memory.MemoryConfig;
import io.sluice.server.observe.ServerCounters;
import io.sluice.transport.protocol.FrameLimits;
import io.sluice.transport.server.ClientConnection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PushAdmissionTest {
  private static final long EPOCH = 7;
  private static final int CAPACITY = 1 << 20;
  private static final ShuffleKey SHUFFLE = new ShuffleKey("app", 1);
  private static final ClientConnection CONNECTION =
      new ClientConnection("app", "test", "loopback");

  private final MemoryBudget memory =
      new MemoryBudget(new MemoryConfig(CAPACITY, 4096, 75, 25), System::nanoTime);
  private final ShuffleStore store =
      new ShuffleStore(
          new StoreConfig(4, 4, 4, 60, 1 << 30, new LogConfig(1 << 12, 20_000, 100, 50)));
  private final AtomicBoolean canStore = new AtomicBoolean(true);
  private final OverQuota overQuota = new OverQuota();
  private final ServerCounters counters = new ServerCounters();
  private final PushAdmission admission =
      new PushAdmission(
          ServerEpochs.first(EPOCH),
          FrameLimits.DEFAULT,
          memory,
          store,
          canStore::get,
          overQuota,
          counters);

  @AfterEach
  void close() {
    store.close();
    memory.close();
  }

  private static Push push(String application, long epoch) {
    return Push.newBuilder()
        .setShuffle(ShuffleId.newBuilder().setApplication(application).setShuffle(1))
        .setEpoch(epoch)
        .build();
  }

  private void check() throws SluiceException {
    admission.check(CONNECTION, push("app", EPOCH), 100);
  }

  private void begin() throws SluiceException {
    admission.begin(CONNECTION, push("app", EPOCH));
  }

  private static void assertRefused(StatusCode code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(SluiceException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  private void reachQuota(String reason) {
    overQuota.answered(
        "coordinator",
        List.of(ApplicationLease.newBuilder().setApplication("app").setOverQuota(reason).build()));
  }

  @Test
  void admitsPushesToANewShuffle() throws Exception {
    check();
    assertThat(admission.begin(CONNECTION, push("app", EPOCH))).isEqualTo(SHUFFLE);
    admission.end();
    assertThat(counters.refusedFrames()).isZero();
  }

  @Test
  void refusesAnApplicationOverItsQuotaBeforeItsBodyIsReceived() throws Exception {
    reachQuota("too much");

    assertRefused(StatusCode.DENIED, this::check);
    assertThat(overQuota.refusedFrames()).isEqualTo(1);
    assertThat(counters.refusedFrames()).isEqualTo(1);
    // A body that has its memory already comes in.
    begin();
    admission.end();

    reachQuota("");
    check();
  }

  @Test
  void refusesPushesWhileSealed() throws Exception {
    admission.seal();
    assertRefused(StatusCode.LEAVING, this::check);
    assertRefused(StatusCode.LEAVING, this::begin);
    assertThat(counters.refusedFrames()).isEqualTo(2);

    admission.unseal();
    check();
    begin();
    admission.end();
  }

  @Test
  void sealWaitsForAdmittedPushes() throws Exception {
    begin();
    AtomicBoolean ended = new AtomicBoolean();
    CompletableFuture<Boolean> endedWhenSealed = new CompletableFuture<>();
    Thread sealing =
        new Thread(
            () -> {
              admission.seal();
              endedWhenSealed.complete(ended.get());
            });
    sealing.start();
    while (sealing.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }

    ended.set(true);
    admission.end();

    assertThat(endedWhenSealed.get(30, TimeUnit.SECONDS)).isTrue();
    sealing.join();
  }

  @Test
  void aRefusedPushDoesNotBlockSealing() {
    assertRefused(
        StatusCode.STALE_EPOCH, () -> admission.begin(CONNECTION, push("app", EPOCH - 1)));
    admission.seal();
    assertRefused(StatusCode.LEAVING, this::begin);
    admission.seal();
  }

  @Test
  void refusesPushesOnceStopped() {
    admission.stop();
    assertRefused(StatusCode.DRAINING, this::check);
    assertRefused(StatusCode.DRAINING, this::begin);
    assertThat(counters.refusedFrames()).isEqualTo(2);
  }

  @Test
  void sealAndStopRecheckPushesThatWaitForMemory() {
    ByteBuf all = memory.tryAllocate("app", CAPACITY);
    AtomicInteger retries = new AtomicInteger();
    memory.whenAvailable("app", 100, retries::incrementAndGet);
    admission.seal();
    assertThat(retries).hasValue(1);
    memory.whenAvailable("app", 100, retries::incrementAndGet);
    admission.stop();
    assertThat(retries).hasValue(2);
    all.release();
  }

  @Test
  void refusesAnotherEpochAnotherApplicationAndARemovedShuffle() {
    for (Push wrong : List.of(push("app", EPOCH - 1), push("app", EPOCH + 1))) {
      assertRefused(StatusCode.STALE_EPOCH, () -> admission.check(CONNECTION, wrong, 100));
      assertRefused(StatusCode.STALE_EPOCH, () -> admission.begin(CONNECTION, wrong));
    }
    Push foreign = push("other", EPOCH);
    assertRefused(StatusCode.DENIED, () -> admission.check(CONNECTION, foreign, 100));
    assertRefused(StatusCode.DENIED, () -> admission.begin(CONNECTION, foreign));
    store.removeShuffles("app", List.of(1));
    assertRefused(StatusCode.EXPIRED, this::check);
    assertRefused(StatusCode.EXPIRED, this::begin);
    assertThat(counters.refusedFrames()).isEqualTo(8);
  }

  @Test
  void refusesABodyForWhichMemoryCannotBecomeFree() throws Exception {
    assertThat(admission.limits().maxBodyLength()).isEqualTo(CAPACITY);
    Push push = push("app", EPOCH);
    assertRefused(
        StatusCode.FRAME_TOO_LARGE, () -> admission.check(CONNECTION, push, CAPACITY + 1));
    canStore.set(false);
    check();
    ByteBuf most = memory.tryAllocate("app", CAPACITY);
    assertRefused(StatusCode.NO_SPACE, this::check);
    // A body that has its memory already comes in.
    begin();
    admission.end();
    canStore.set(true);
    check();
    most.release();
    assertThat(counters.refusedFrames()).isEqualTo(2);
  }

  @Test
  void refusesPushesAboveTheLimitOfExtentsInMemory() throws Exception {
    byte[][] blocks = new byte[5][];
    for (int i = 0; i < blocks.length; i++) {
      blocks[i] = BlockBytes.block(1, 0, i, 0, true, new byte[10]);
    }
    ByteBuf body = Unpooled.wrappedBuffer(blocks);
    store.findOrCreate(SHUFFLE).append(body, 0, new BodyVerifier(body).verify());
    check();
    assertRefused(StatusCode.BUSY, this::begin);

    store.removeApplication("app");
    Push next =
        Push.newBuilder()
            .setShuffle(ShuffleId.newBuilder().setApplication("app").setShuffle(2))
            .setEpoch(EPOCH)
            .build();
    admission.begin(CONNECTION, next);
    admission.end();
  }
}
