package io.sluice.server;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.common.frame.FrameHeader;
import io.sluice.common.frame.FrameHeads;
import io.sluice.common.frame.FrameLimits;
import io.sluice.common.frame.FrameType;
import io.sluice.proto.Error;
import io.sluice.proto.Fetch;
import io.sluice.proto.FetchReply;
import io.sluice.proto.Hello;
import io.sluice.proto.HelloReply;
import io.sluice.proto.Open;
import io.sluice.proto.OpenReply;
import io.sluice.proto.Push;
import io.sluice.proto.PushAck;
import io.sluice.proto.Range;
import io.sluice.proto.ShuffleId;
import io.sluice.server.log.BlockBytes;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;

/** One connection of the framed transport, a frame at a time over a blocking socket. */
final class RawClient implements AutoCloseable {
  private static final int TIMEOUT_MS = 30_000;

  private final Socket socket = new Socket();
  private final String application;
  private long requests;
  private final HelloReply hello;

  RawClient(int port, String application) throws IOException {
    this.application = application;
    socket.connect(new InetSocketAddress("127.0.0.1", port), TIMEOUT_MS);
    socket.setSoTimeout(TIMEOUT_MS);
    send(
        FrameType.HELLO,
        Hello.newBuilder()
            .setMinVersion(1)
            .setMaxVersion(1)
            .setClient("test")
            .setApplication(application)
            .build(),
        new byte[0]);
    hello = receive(FrameType.HELLO_REPLY, HelloReply.parser());
  }

  /** What a server answered beside its head. */
  record Body(FetchReply head, byte[] bytes) {}

  HelloReply hello() {
    return hello;
  }

  /** Pushes one block, the last of its attempt. */
  PushAck push(int shuffle, int partition, long attempt, byte[] payload) throws IOException {
    sendPush(shuffle, BlockBytes.block(attempt, 0, partition, 0, true, payload));
    return receive(FrameType.PUSH_ACK, PushAck.parser());
  }

  /** Sends a push and does not wait for its answer. */
  void sendPush(int shuffle, byte[] body) throws IOException {
    send(
        FrameType.PUSH,
        Push.newBuilder().setShuffle(id(shuffle)).setEpoch(hello.getEpoch()).build(),
        body);
  }

  OpenReply open(int shuffle, int partition, long assignedEpoch) throws IOException {
    send(
        FrameType.OPEN,
        Open.newBuilder()
            .setShuffle(id(shuffle))
            .addPartitions(partition)
            .setAssignedEpoch(assignedEpoch)
            .build(),
        new byte[0]);
    return receive(FrameType.OPEN_REPLY, OpenReply.parser());
  }

  Body fetch(int shuffle, int partition, long offset, long length) throws IOException {
    sendFetch(shuffle, partition, offset, length);
    FrameHeader header = receiveHeader();
    FetchReply head = parse(header, FrameType.FETCH_REPLY, FetchReply.parser());
    return new Body(head, read(header.bodyLength()));
  }

  /** Asks for bytes and does not read them. */
  void sendFetch(int shuffle, int partition, long offset, long length) throws IOException {
    send(
        FrameType.FETCH,
        Fetch.newBuilder()
            .setShuffle(id(shuffle))
            .setEpoch(hello.getEpoch())
            .addRanges(
                Range.newBuilder().setPartition(partition).setOffset(offset).setLength(length))
            .build(),
        new byte[0]);
  }

  /** Whether the server has closed the connection; waits for it. */
  boolean isClosedByServer() throws IOException {
    return socket.getInputStream().read() < 0;
  }

  private ShuffleId id(int shuffle) {
    return ShuffleId.newBuilder().setApplication(application).setShuffle(shuffle).build();
  }

  private void send(FrameType type, MessageLite head, byte[] body) throws IOException {
    ByteBufAllocator allocator = UnpooledByteBufAllocator.DEFAULT;
    ByteBuf frame = FrameHeads.encode(allocator, type, ++requests, head, body.length);
    try {
      byte[] bytes = new byte[frame.readableBytes()];
      frame.readBytes(bytes);
      socket.getOutputStream().write(bytes);
      socket.getOutputStream().write(body);
      socket.getOutputStream().flush();
    } finally {
      frame.release();
    }
  }

  private <T extends MessageLite> T receive(FrameType type, Parser<T> parser) throws IOException {
    return parse(receiveHeader(), type, parser);
  }

  private FrameHeader receiveHeader() throws IOException {
    return FrameHeader.read(
        Unpooled.wrappedBuffer(read(FrameHeader.LENGTH)), 0, FrameLimits.DEFAULT);
  }

  private <T extends MessageLite> T parse(FrameHeader header, FrameType type, Parser<T> parser)
      throws IOException {
    byte[] head = read(header.headLength());
    if (header.type() == FrameType.ERROR) {
      Error error = Error.parseFrom(head);
      throw new SluiceException(StatusCode.of(error.getStatus()), error.getMessage());
    }
    if (header.type() != type) {
      throw new IOException("expected " + type + ", found " + header.type());
    }
    return parser.parseFrom(head);
  }

  private byte[] read(int length) throws IOException {
    byte[] bytes = new byte[length];
    new DataInputStream(socket.getInputStream()).readFully(bytes);
    return bytes;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
