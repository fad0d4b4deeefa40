package io.sluice.it.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.client.transport.*;
import io.sluice.common.frame.FrameLimits;
import io.sluice.common.net.IoMode;
import io.sluice.proto.*;
import io.sluice.server.transport.DataTransportConfig;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SmokeTest {
  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource(IoMode.class)
  void roundTrip(IoMode mode) throws Exception {
    FakeMemory memory = new FakeMemory(64 << 10, 64);
    try (FakeDataService service = new FakeDataService(memory, FrameLimits.DEFAULT, directory);
        Loopback loopback = Loopback.netty(service, DataTransportConfig.DEFAULT, mode);
        DataTransport client =
            loopback.newClient(new TransportConfig(5000, 10_000, mode, 1, FrameLimits.DEFAULT))) {
      DataConnection c = client.connect(loopback.server(), "app", "test").get(5, TimeUnit.SECONDS);
      byte[] bytes = new byte[1_000_000];
      new Random(1).nextBytes(bytes);
      ShuffleId s = ShuffleId.newBuilder().setApplication("app").setShuffle(3).build();
      ByteBuf body = PooledByteBufAllocator.DEFAULT.directBuffer(bytes.length).writeBytes(bytes);
      c.push(Push.newBuilder().setShuffle(s).build(), body).get(5, TimeUnit.SECONDS);
      for (int i = 0; i < 2; i++) {
        FetchedBody b =
            c.fetch(
                    Fetch.newBuilder()
                        .addRanges(
                            Range.newBuilder().setPartition(3).setOffset(5).setLength(999_990))
                        .build())
                .get(5, TimeUnit.SECONDS);
        assertThat(ByteBufUtil.getBytes(b.bytes()))
            .isEqualTo(java.util.Arrays.copyOfRange(bytes, 5, 999_995));
        b.close();
        service.spill();
      }
    }
    assertThat(memory.usedSlabs()).isZero();
  }
}
