package io.sluice.it.hostile;

import io.sluice.common.auth.ApplicationCredential;
import io.sluice.proto.Error;
import io.sluice.proto.Hello;
import io.sluice.proto.HelloChallenge;
import io.sluice.proto.HelloReply;
import io.sluice.proto.Status;
import io.sluice.transport.protocol.ConnectionProofs;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A connection to the data port that sends arbitrary bytes. Used by one thread. */
final class FramePeer implements AutoCloseable {
  /** Maximum length of a reply that a test reads; the largest body of the cluster is 16 MiB. */
  private static final int MOST_BYTES = 32 << 20;

  private final Socket socket;
  private final DataInputStream in;

  /** A received frame. */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  record Frame(int type, long request, byte[] head, byte[] body) {
    /** Status of an ERROR frame. */
    Status status() throws IOException {
      return type == Frames.ERROR ? Error.parseFrom(head).getStatus() : Status.OK;
    }
  }

  /**
   * @param socket takes
   */
  FramePeer(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new DataInputStream(socket.getInputStream());
  }

  /** A connection that has sent nothing yet. */
  static FramePeer connect(Target target) throws IOException {
    return new FramePeer(target.connect(Port.SERVER_DATA));
  }

  /** An authenticated connection. */
  static FramePeer greeted(Target target, ApplicationCredential credential) throws Exception {
    return greeted(target, credential, 1);
  }

  /**
   * An authenticated connection.
   *
   * @param source last byte of the source address
   */
  static FramePeer greeted(Target target, ApplicationCredential credential, int source)
      throws Exception {
    FramePeer peer = new FramePeer(target.connect(Port.SERVER_DATA, source));
    try {
      peer.greet(credential.application(), credential);
      return peer;
    } catch (Exception | AssertionError e) {
      peer.close();
      throw e;
    }
  }

  /**
   * Sends HELLO for an application and authenticates with a credential, possibly of another one.
   *
   * @throws RefusedException if the server refuses
   */
  HelloReply greet(String application, ApplicationCredential credential) throws Exception {
    ConnectionProofs proofs = Target.proofs(credential);
    Hello.Builder hello = hello(application);
    proofs.introduce(hello);
    send(Frames.of(Frames.HELLO, 1, hello.build()));
    HelloChallenge challenge = HelloChallenge.parseFrom(expect(Frames.CHALLENGE).head());
    send(Frames.of(Frames.PROOF, 2, proofs.answer(challenge)));
    return HelloReply.parseFrom(expect(Frames.HELLO_REPLY).head());
  }

  /** Sends HELLO without a token. */
  static Hello.Builder hello(String application) {
    return Hello.newBuilder()
        .setMinVersion(1)
        .setMaxVersion(1)
        .setApplication(application)
        .setClient("mallory");
  }

  private Frame expect(int type) throws IOException {
    Frame frame = receive();
    if (frame == null || frame.type() != type) {
      throw new RefusedException(frame);
    }
    return frame;
  }

  void send(byte[]... parts) throws IOException {
    for (byte[] part : parts) {
      socket.getOutputStream().write(part);
    }
    socket.getOutputStream().flush();
  }

  /**
   * Sends until the server has closed the connection.
   *
   * @return whether the server accepted all bytes
   */
  boolean sendWhileTaken(byte[]... parts) {
    try {
      send(parts);
      return true;
    } catch (IOException refused) {
      return false;
    }
  }

  /** The next frame, or null after the server has closed the connection. */
  Frame receive() throws IOException {
    try {
      byte[] header = new byte[Frames.HEADER_LENGTH];
      in.readFully(header);
      ByteBuffer fields = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN);
      byte[] head = new byte[bounded(fields.getInt(16))];
      in.readFully(head);
      byte[] body = new byte[bounded(fields.getInt(20))];
      in.readFully(body);
      return new Frame(header[5], fields.getLong(8), head, body);
    } catch (EOFException | SocketException ended) {
      return null;
    }
  }

  private static int bounded(int length) throws IOException {
    if (length < 0 || length > MOST_BYTES) {
      throw new IOException("the server sent an invalid length of " + length);
    }
    return length;
  }

  Socket socket() {
    return socket;
  }

  /** Closes immediately, even while another thread sends. */
  @Override
  public void close() throws IOException {
    if (!socket.isClosed()) {
      // Otherwise TLS waits until the other thread has sent its data.
      socket.setSoLinger(true, 0);
      // Otherwise TLS waits for the close of a server that has paused the connection.
      socket.setSoTimeout(1);
    }
    socket.close();
  }
}
