package io.sluice.server.move;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Push;
import io.sluice.proto.PushAck;
import io.sluice.server.log.BlockBytes;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.service.ClientConnection;
import io.sluice.server.service.ForwardingDataService;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SealableDataServiceTest {
  private static final ShuffleKey SHUFFLE = new ShuffleKey("app", 1);
  private static final ClientConnection CONNECTION = FakeServers.connection(SHUFFLE);
  private static final Push HEAD = FakeServers.push(SHUFFLE, FakeServers.EPOCH);

  private final AtomicInteger refused = new AtomicInteger();

  private static ByteBuf body() {
    return Unpooled.wrappedBuffer(BlockBytes.block(1, 0, 0, 0, true, new byte[10]));
  }

  @Test
  void refusesPushesWhileItIsSealedAndGivesTheirBodiesBack() throws Exception {
    try (FakeServers servers = new FakeServers(1 << 20, "a")) {
      SealableDataService service =
          new SealableDataService(servers.node("a").service, refused::incrementAndGet);
      service.seal();
      ByteBuf body = body();

      assertThatThrownBy(() -> service.push(CONNECTION, HEAD, body))
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.LEAVING));
      assertThatThrownBy(() -> service.checkPush(CONNECTION, HEAD, 10))
          .isInstanceOf(SluiceException.class);
      assertThat(body.refCnt()).isZero();
      assertThat(refused).as("those that wait for memory look again").hasValue(1);
      assertThat(servers.node("a").store.find(SHUFFLE)).isNull();

      service.unseal();
      service.checkPush(CONNECTION, HEAD, 10);
      assertThat(service.push(CONNECTION, HEAD, body()).getEpoch()).isEqualTo(FakeServers.EPOCH);
    }
  }

  @Test
  void isNotSealedBeforeWhatItHasTakenIsInTheLog() throws Exception {
    try (FakeServers servers = new FakeServers(1 << 20, "a")) {
      CountDownLatch inside = new CountDownLatch(1);
      CountDownLatch goOn = new CountDownLatch(1);
      SealableDataService service =
          new SealableDataService(
              new ForwardingDataService(servers.node("a").service) {
                @Override
                public PushAck push(ClientConnection connection, Push push, ByteBuf body)
                    throws SluiceException {
                  inside.countDown();
                  try {
                    goOn.await();
                  } catch (InterruptedException e) {
                    throw new AssertionError(e);
                  }
                  return super.push(connection, push, body);
                }
              },
              refused::incrementAndGet);
      CompletableFuture<PushAck> push =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return service.push(CONNECTION, HEAD, body());
                } catch (SluiceException e) {
                  throw new AssertionError(e);
                }
              });
      assertThat(inside.await(30, TimeUnit.SECONDS)).isTrue();
      CompletableFuture<Integer> blocksWhenSealed =
          CompletableFuture.supplyAsync(
              () -> {
                service.seal();
                return servers.node("a").store.find(SHUFFLE).partitions().length;
              });

      goOn.countDown();

      assertThat(push.get(30, TimeUnit.SECONDS).getEpoch()).isEqualTo(FakeServers.EPOCH);
      assertThat(blocksWhenSealed.get(30, TimeUnit.SECONDS)).isEqualTo(1);
    }
  }
}
