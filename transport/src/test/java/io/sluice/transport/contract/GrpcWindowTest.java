package io.sluice.transport.contract;

import static io.sluice.transport.contract.TransportEnds.frame;
import static io.sluice.transport.contract.TransportEnds.pushOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.net.LeakCheck;
import io.sluice.common.rpc.RawHttp2;
import io.sluice.proto.Hello;
import io.sluice.transport.protocol.DataExchange;
import io.sluice.transport.protocol.FrameLimits;
import io.sluice.transport.protocol.FrameType;
import io.sluice.transport.server.DataTransportConfig;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Credit of the peer of a gRPC stream. */
@ExtendWith(LeakCheck.class)
@Timeout(60)
class GrpcWindowTest {
  private static final int SLAB = 64 << 10;
  private static final int SLABS = 32;
  private static final int BODY = SLAB * SLABS;
  private static final int STREAM = 1;

  @TempDir Path directory;

  private static void send(RawHttp2 peer, byte[] frame) throws IOException {
    peer.frame(RawHttp2.DATA, 0, STREAM, RawHttp2.message(frame));
  }

  @Test
  void letsThePeerSendABodyForWhichThereIsMemory() throws Exception {
    FakeMemory memory = new FakeMemory(SLAB, SLABS);
    try (FakeDataService service = new FakeDataService(memory, FrameLimits.DEFAULT, directory);
        Loopback loopback = Loopback.grpc(service, DataTransportConfig.DEFAULT);
        RawHttp2 peer = new RawHttp2(loopback.server().getRpcPort(), 30_000)) {
      peer.call(STREAM, DataExchange.METHOD.getFullMethodName());
      send(
          peer,
          frame(
              FrameType.HELLO,
              1,
              Hello.newBuilder()
                  .setMinVersion(1)
                  .setMaxVersion(1)
                  .setApplication(TransportEnds.APPLICATION)
                  .build()));
      assertThat(peer.next().type()).isEqualTo(RawHttp2.HEADERS);
      assertThat(peer.next().type()).isEqualTo(RawHttp2.DATA);
      send(peer, frame(FrameType.PUSH, 2, pushOf(1), BODY));

      assertThat(peer.awaitCredit(STREAM, BODY)).isLessThan(BODY + SLAB);
    }
  }
}
