package io.sluice.it.hostile;

import com.google.protobuf.MessageLite;
import io.sluice.common.auth.ApplicationCredential;
import io.sluice.common.file.SocketIdentity;
import io.sluice.proto.Hello;
import io.sluice.proto.HelloChallenge;
import io.sluice.proto.HelloReply;
import io.sluice.transport.protocol.ConnectionProofs;
import io.sluice.transport.protocol.ProofScope;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/**
 * A connection to the Unix domain socket of a server that sends arbitrary bytes. It cannot receive
 * descriptors: the kernel closes those that come with bytes it reads. Used by one thread.
 */
final class LocalPeer implements AutoCloseable {
  static final int HELLO = Frames.HELLO;
  static final int HELLO_REPLY = Frames.HELLO_REPLY;
  static final int CHALLENGE = Frames.CHALLENGE;
  static final int PROOF = Frames.PROOF;
  static final int RUN_FILES = 12;

  private static final int HEADER_LENGTH = 5;
  private static final int MOST_BYTES = 16 << 10;

  private final SocketChannel channel;

  /** A connection that has sent nothing yet. */
  LocalPeer(Target target) throws IOException {
    channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      channel.connect(UnixDomainSocketAddress.of(socketOf(target)));
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  static Path socketOf(Target target) {
    return target.server().directory().resolve("data").resolve("sluice.sock");
  }

  /** The proofs of a client that connects to the server's socket. */
  static ConnectionProofs proofs(Target target, ApplicationCredential credential)
      throws IOException {
    return Target.proofs(
        credential, ProofScope.ofSocket(SocketIdentity.of(socketOf(target).toString())));
  }

  /** An authenticated connection. */
  static LocalPeer greeted(Target target, ApplicationCredential credential) throws IOException {
    LocalPeer peer = new LocalPeer(target);
    boolean greeted = false;
    try {
      ConnectionProofs proofs = proofs(target, credential);
      Hello.Builder hello = FramePeer.hello(credential.application());
      proofs.introduce(hello);
      peer.send(HELLO, hello.build());
      peer.send(PROOF, proofs.answer(HelloChallenge.parseFrom(peer.receive(CHALLENGE))));
      proofs.verify(HelloReply.parseFrom(peer.receive(HELLO_REPLY)));
      greeted = true;
      return peer;
    } finally {
      if (!greeted) {
        peer.close();
      }
    }
  }

  SocketChannel channel() {
    return channel;
  }

  void send(int type, MessageLite message) throws IOException {
    send(frame(type, message.toByteArray()));
  }

  /** Sends as many bytes as the server receives. */
  void send(byte[] bytes) throws IOException {
    ByteBuffer left = ByteBuffer.wrap(bytes);
    while (left.hasRemaining()) {
      channel.write(left);
    }
  }

  static byte[] frame(int type, byte[] message) {
    return header(type, message.length, HEADER_LENGTH + message.length).put(message).array();
  }

  /**
   * A header with any length.
   *
   * @param bytes size of the returned buffer
   */
  static ByteBuffer header(int type, int length, int bytes) {
    return ByteBuffer.allocate(bytes)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(length)
        .put((byte) type);
  }

  /** The next message. */
  byte[] receive(int type) throws IOException {
    ByteBuffer header = read(HEADER_LENGTH);
    int length = header.getInt();
    int found = header.get();
    if (found != type || length < 0 || length > MOST_BYTES) {
      throw new IOException("the server sent a message of type " + found + ", length " + length);
    }
    return read(length).array();
  }

  private ByteBuffer read(int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    while (bytes.hasRemaining()) {
      if (channel.read(bytes) < 0) {
        throw new EOFException("the server closed the connection");
      }
    }
    return bytes.flip();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
