package io.sluice.common.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.DefaultHttp2Connection;
import io.netty.handler.codec.http2.DefaultHttp2FrameWriter;
import io.netty.handler.codec.http2.DefaultHttp2LocalFlowController;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Stream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StreamWindowTest {
  private static final int USUAL = Http2CodecUtil.DEFAULT_WINDOW_SIZE;
  private static final int MIB = 1 << 20;
  private static final int PART = 16 << 10;
  private static final int STREAM = 1;

  private final EmbeddedChannel channel = new EmbeddedChannel(new ChannelInboundHandlerAdapter());
  private final Http2Connection connection = new DefaultHttp2Connection(true);
  private final DefaultHttp2LocalFlowController flow =
      new DefaultHttp2LocalFlowController(connection).frameWriter(new DefaultHttp2FrameWriter());
  private Http2Stream stream;
  private StreamWindow window;

  private record Credit(int stream, int bytes) {}

  @BeforeEach
  void open() throws Http2Exception {
    flow.channelHandlerContext(channel.pipeline().firstContext());
    connection.local().flowController(flow);
    stream = connection.remote().createStream(STREAM, false);
    window = new StreamWindow(channel.pipeline().firstContext(), connection, flow, STREAM);
  }

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
  }

  /** Credits sent since the last call. */
  private List<Credit> credits() {
    List<Credit> sent = new ArrayList<>();
    for (ByteBuf frame = channel.readOutbound(); frame != null; frame = channel.readOutbound()) {
      while (frame.isReadable()) {
        int length = frame.readMedium();
        // Type and flags.
        frame.skipBytes(2);
        int of = frame.readInt();
        assertThat(length).isEqualTo(4);
        sent.add(new Credit(of, frame.readInt()));
      }
      frame.release();
    }
    return sent;
  }

  /** Receives bytes of a message that the service reads at once. */
  private void receive(int bytes) throws Http2Exception {
    ByteBuf data = Unpooled.wrappedBuffer(new byte[bytes]);
    flow.receiveFlowControlledFrame(stream, data, 0, false);
    window.received(bytes);
    flow.consumeBytes(stream, bytes);
    channel.flush();
  }

  @Test
  void grantsCreditForExpectedBytesAtOnce() throws Exception {
    window.expect(MIB);

    assertThat(credits()).containsExactly(new Credit(0, MIB), new Credit(STREAM, MIB));
    for (int received = 0; received < MIB; received += PART) {
      receive(PART);
      assertThat(flow.windowSize(stream)).isEqualTo(USUAL + MIB - received - PART);
    }
    assertThat(credits()).isEmpty();
  }

  @Test
  void grantsCreditForOtherBytesByHalfWindows() throws Exception {
    window.expect(MIB);
    for (int received = 0; received < MIB; received += PART) {
      receive(PART);
    }
    credits();

    receive(PART);
    assertThat(credits()).isEmpty();
    receive(PART);
    assertThat(credits()).containsExactly(new Credit(0, 2 * PART), new Credit(STREAM, 2 * PART));
    assertThat(flow.windowSize(stream)).isEqualTo(USUAL);
  }

  @Test
  void neverGrantsMoreThanTheUsualWindowAndTheExpectedBytes() throws Exception {
    for (int body = 1; body <= 5; body++) {
      int length = body * 50_001;
      window.expect(length);
      for (int left = length; left > 0; left -= Math.min(left, 40_000)) {
        receive(Math.min(left, 40_000));
        int missing = left - Math.min(left, 40_000);
        assertThat(flow.windowSize(stream)).isBetween(USUAL / 2, USUAL + missing);
        assertThat(flow.windowSize(connection.connectionStream()))
            .isEqualTo(flow.windowSize(stream));
      }
    }
  }

  @Test
  void expectsNothingOfAStreamThatHasEnded() throws Exception {
    window.expect(MIB);
    receive(PART);
    credits();

    window.close();
    window.close();
    window.expect(MIB);

    assertThat(credits()).isEmpty();
    assertThat(flow.initialWindowSize(connection.connectionStream())).isEqualTo(USUAL);
  }
}
