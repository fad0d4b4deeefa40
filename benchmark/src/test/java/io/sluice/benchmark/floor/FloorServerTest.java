package io.sluice.benchmark.floor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.benchmark.floor.FloorRequest.Work;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class FloorServerTest {
  private static final int FRAME = 1000;

  @TempDir Path directory;
  private FloorServer server;

  @BeforeEach
  void start() throws IOException {
    server = FloorServer.listen(directory);
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  @ParameterizedTest
  @EnumSource(value = Work.class, names = "SEND.*", mode = EnumSource.Mode.MATCH_NONE)
  void acknowledgesEveryFrameOfSeveralConnections(Work work) throws Exception {
    FloorClient client = new FloorClient(server.port(), 3, FRAME);

    // 8 frames, rounded up, on three connections.
    assertThat(client.run(work, 7_500)).isEqualTo(8_000);
  }

  @ParameterizedTest
  @EnumSource(value = Work.class, names = "SEND.*", mode = EnumSource.Mode.MATCH_ALL)
  void sendsTheFramesThatItAppendedToFiles(Work work) throws Exception {
    byte[] frames = new byte[3 * FRAME];
    for (int i = 0; i < frames.length; i++) {
      frames[i] = (byte) (i * 31);
    }
    try (SocketChannel channel = connect(new FloorRequest(Work.WRITE, 7, FRAME, 3))) {
      channel.write(ByteBuffer.wrap(frames));
      FloorRequest.readFully(channel, ByteBuffer.allocate(3));
    }
    assertThat(Files.readAllBytes(directory.resolve("floor-7"))).isEqualTo(frames);
    ByteBuffer sent = ByteBuffer.allocate(frames.length);
    try (SocketChannel channel = connect(new FloorRequest(work, 7, FRAME, 3))) {
      channel.write(ByteBuffer.allocate(3));
      FloorRequest.readFully(channel, sent);
    }
    assertThat(sent.array()).isEqualTo(frames);
  }

  @Test
  void refusesFramesThatAreTooLong() {
    assertThatThrownBy(() -> new FloorRequest(Work.WRITE, 0, FloorRequest.MAX_FRAME_LENGTH + 1, 1))
        .hasMessageContaining("frameLength of 1 to 67108864");
  }

  @Test
  void closesAConnectionWithoutAValidRequest() throws Exception {
    try (SocketChannel channel = SocketChannel.open(address())) {
      channel.write(ByteBuffer.allocate(FloorRequest.LENGTH).put(0, (byte) 99));
      assertThat(channel.read(ByteBuffer.allocate(1))).isEqualTo(-1);
    }
  }

  private SocketChannel connect(FloorRequest request) throws IOException {
    SocketChannel channel = SocketChannel.open(address());
    channel.write(request.encode());
    return channel;
  }

  private InetSocketAddress address() throws IOException {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port());
  }
}
