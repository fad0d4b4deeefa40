package io.sluice.transport.contract;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.netty.buffer.Unpooled;
import io.sluice.common.tls.ClientTls;
import io.sluice.proto.Error;
import io.sluice.proto.ServerId;
import io.sluice.transport.protocol.DataExchange;
import io.sluice.transport.protocol.FrameFormatException;
import io.sluice.transport.protocol.FrameHeader;
import io.sluice.transport.protocol.FrameHeads;
import io.sluice.transport.protocol.FrameLimits;
import io.sluice.transport.protocol.FrameType;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketException;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.SocketFactory;

/** A client that sends arbitrary bytes and reads the replies. */
public interface RawPeer extends AutoCloseable {
  int TIMEOUT_MS = 60_000;

  /** A received header and head. */
  record Frame(FrameHeader header, ByteString bytes) {
    Error error() throws FrameFormatException {
      return FrameHeads.parse(
          Error.parser(),
          FrameType.ERROR,
          Unpooled.wrappedBuffer(bytes.asReadOnlyByteBuffer()),
          FrameHeader.LENGTH,
          header.headLength());
    }
  }

  /** Sends header and head (or other bytes), and a body in parts. */
  void send(byte[] headerAndHead, byte[]... bodyParts) throws IOException;

  /** The next frame's header and head, or null if the server has ended the connection. */
  Frame receive() throws IOException, InterruptedException;

  /** Closes the connection abruptly. */
  @Override
  void close();

  static Frame frameOf(byte[] bytes) throws FrameFormatException {
    return new Frame(
        FrameHeader.read(Unpooled.wrappedBuffer(bytes), 0, FrameLimits.DEFAULT),
        ByteString.copyFrom(bytes));
  }

  /** Over framed TCP. */
  final class Tcp implements RawPeer {
    private final Socket socket;
    private final OutputStream out;
    private final DataInputStream in;

    Tcp(ServerId server, SocketFactory sockets) throws IOException {
      socket = sockets.createSocket(server.getHost(), server.getNettyPort());
      socket.setSoTimeout(TIMEOUT_MS);
      out = socket.getOutputStream();
      in = new DataInputStream(socket.getInputStream());
    }

    @Override
    public void send(byte[] headerAndHead, byte[]... bodyParts) throws IOException {
      out.write(headerAndHead);
      for (byte[] part : bodyParts) {
        out.write(part);
      }
    }

    @Override
    public Frame receive() throws IOException {
      try {
        byte[] header = new byte[FrameHeader.LENGTH];
        in.readFully(header);
        int headLength =
            FrameHeader.read(Unpooled.wrappedBuffer(header), 0, FrameLimits.DEFAULT).headLength();
        byte[] whole = Arrays.copyOf(header, FrameHeader.LENGTH + headLength);
        in.readFully(whole, FrameHeader.LENGTH, headLength);
        return frameOf(whole);
      } catch (EOFException | SocketException e) {
        return null;
      }
    }

    @Override
    public void close() {
      try {
        socket.setSoLinger(true, 0);
        socket.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Inside a gRPC stream. */
  final class Grpc implements RawPeer {
    private static final byte[] END = new byte[0];

    private final ManagedChannel channel;
    private final ClientCall<InputStream, InputStream> call;
    private final BlockingQueue<byte[]> received = new LinkedBlockingQueue<>();
    private volatile Status closed;

    Grpc(ServerId server, ClientTls tls) {
      channel = tls.channel(server.getHost(), server.getRpcPort()).disableRetry().build();
      call = channel.newCall(DataExchange.METHOD, CallOptions.DEFAULT);
      call.start(
          new ClientCall.Listener<>() {
            @Override
            public void onMessage(InputStream message) {
              try (message) {
                received.add(message.readAllBytes());
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            }

            @Override
            public void onClose(Status status, Metadata trailers) {
              closed = status;
              received.add(END);
            }
          },
          new Metadata());
      // A test reads two messages; more stay unread, as with a hanging client.
      call.request(2);
    }

    @Override
    public void send(byte[] headerAndHead, byte[]... bodyParts) {
      sendCut(headerAndHead);
      for (byte[] part : bodyParts) {
        sendCut(part);
      }
    }

    private void sendCut(byte[] bytes) {
      for (int at = 0; at < bytes.length; at += DataExchange.MAX_MESSAGE_LENGTH) {
        int end = Math.min(bytes.length, at + DataExchange.MAX_MESSAGE_LENGTH);
        sendMessage(Arrays.copyOfRange(bytes, at, end));
      }
    }

    private void sendMessage(byte[] bytes) {
      call.sendMessage(DataExchange.message(Unpooled.wrappedBuffer(bytes)));
    }

    @Override
    public Frame receive() throws IOException, InterruptedException {
      byte[] bytes = received.poll(TIMEOUT_MS, TimeUnit.MILLISECONDS);
      if (bytes == null) {
        throw new IOException("no message received within the timeout");
      }
      return bytes == END ? null : frameOf(bytes);
    }

    /** For assertion messages. */
    @Override
    public String toString() {
      return "gRPC stream closed=" + closed;
    }

    @Override
    public void close() {
      channel.shutdownNow();
      try {
        channel.awaitTermination(TIMEOUT_MS, TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
