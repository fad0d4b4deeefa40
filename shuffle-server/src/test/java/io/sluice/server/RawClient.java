package io.sluice.server;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
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
import io.sluice.transport.protocol.DataExchange;
import io.sluice.transport.protocol.FrameHeader;
import io.sluice.transport.protocol.FrameHeads;
import io.sluice.transport.protocol.FrameLimits;
import io.sluice.transport.protocol.FrameType;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Data connection over either transport, with one frame at a time. Used by one thread. */
final class RawClient implements AutoCloseable {
  private static final int TIMEOUT_MS = 30_000;

  private final Pipe pipe;
  private final String application;
  private long requests;
  private final HelloReply hello;

  private RawClient(Pipe pipe, String application) throws IOException {
    this.pipe = pipe;
    this.application = application;
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

  /** Over framed TCP. */
  RawClient(int nettyPort, String application) throws IOException {
    this(new SocketPipe(nettyPort), application);
  }

  /** Over a gRPC stream. */
  static RawClient overGrpc(int rpcPort, String application) throws IOException {
    return new RawClient(new GrpcPipe(rpcPort), application);
  }

  /** Carries frames. */
  private interface Pipe extends AutoCloseable {
    void write(byte[] headerAndHead, byte[] body) throws IOException;

    InputStream in() throws IOException;

    @Override
    void close() throws IOException;
  }

  private static final class SocketPipe implements Pipe {
    private final Socket socket = new Socket();

    SocketPipe(int port) throws IOException {
      socket.connect(new InetSocketAddress("127.0.0.1", port), TIMEOUT_MS);
      socket.setSoTimeout(TIMEOUT_MS);
    }

    @Override
    public void write(byte[] headerAndHead, byte[] body) throws IOException {
      socket.getOutputStream().write(headerAndHead);
      socket.getOutputStream().write(body);
      socket.getOutputStream().flush();
    }

    @Override
    public InputStream in() throws IOException {
      return socket.getInputStream();
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  private static final class GrpcPipe implements Pipe {
    private final ManagedChannel channel;
    private final StreamObserver<InputStream> requests;
    private final BlockingQueue<InputStream> messages = new LinkedBlockingQueue<>();
    private InputStream current = InputStream.nullInputStream();

    GrpcPipe(int port) {
      channel = ManagedChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
      requests =
          ClientCalls.asyncBidiStreamingCall(
              channel.newCall(DataExchange.METHOD, CallOptions.DEFAULT),
              new StreamObserver<>() {
                @Override
                public void onNext(InputStream message) {
                  try {
                    messages.add(new ByteArrayInputStream(message.readAllBytes()));
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                }

                @Override
                public void onError(Throwable failure) {
                  messages.add(InputStream.nullInputStream());
                }

                @Override
                public void onCompleted() {
                  messages.add(InputStream.nullInputStream());
                }
              });
    }

    @Override
    public void write(byte[] headerAndHead, byte[] body) {
      requests.onNext(new ByteArrayInputStream(headerAndHead));
      for (int at = 0; at < body.length; at += DataExchange.MAX_MESSAGE_LENGTH) {
        int length = Math.min(DataExchange.MAX_MESSAGE_LENGTH, body.length - at);
        requests.onNext(new ByteArrayInputStream(body, at, length));
      }
    }

    @Override
    public InputStream in() {
      return new InputStream() {
        @Override
        public int read() throws IOException {
          return hasMore() ? current.read() : -1;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
          return hasMore() ? current.read(target, offset, length) : -1;
        }
      };
    }

    private boolean hasMore() throws IOException {
      if (current.available() == 0) {
        try {
          current = messages.poll(TIMEOUT_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
          throw new IOException(e);
        }
        if (current == null) {
          throw new IOException("no message within " + TIMEOUT_MS + " ms");
        }
      }
      return current.available() > 0;
    }

    @Override
    public void close() {
      requests.onCompleted();
      channel.shutdownNow();
    }
  }

  HelloReply hello() {
    return hello;
  }

  /** Pushes one block, the last of its attempt. */
  PushAck push(int shuffle, int partition, long attempt, byte[] payload) throws IOException {
    sendPush(shuffle, BlockBytes.block(attempt, 0, partition, 0, true, payload));
    return receive(FrameType.PUSH_ACK, PushAck.parser());
  }

  /** Sends a push without waiting for its reply. */
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

  byte[] fetch(int shuffle, int partition, long offset, long length) throws IOException {
    sendFetch(shuffle, partition, offset, length);
    FrameHeader header = receiveHeader();
    FetchReply head = parse(header, FrameType.FETCH_REPLY, FetchReply.parser());
    if (head.getEpoch() != hello.getEpoch()) {
      throw new IOException("epoch " + head.getEpoch() + " after " + hello.getEpoch());
    }
    return read(header.bodyLength());
  }

  /** Sends a fetch without reading its reply. */
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

  /** Waits until the server closes the connection; returns whether it did. */
  boolean isClosedByServer() throws IOException {
    return pipe.in().read() < 0;
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
      pipe.write(bytes, body);
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
    new DataInputStream(pipe.in()).readFully(bytes);
    return bytes;
  }

  @Override
  public void close() throws IOException {
    pipe.close();
  }
}
