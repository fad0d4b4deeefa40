package io.sluice.server.net;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufInputStream;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.sluice.common.error.SluiceException;
import io.sluice.proto.Hello;
import io.sluice.proto.HelloChallenge;
import io.sluice.proto.HelloProof;
import io.sluice.proto.HelloReply;
import io.sluice.transport.protocol.ConnectionGuard;
import io.sluice.transport.protocol.FrameType;
import io.sluice.transport.protocol.LocalSocketFrame;
import io.sluice.transport.protocol.ProofScope;
import io.sluice.transport.protocol.ServerHandshake;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

/**
 * Handles the handshake of one connection, then replaces itself in the pipeline by the check of the
 * client's token. Owned by the event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A failure to close needs no handling.
final class LocalHandshake extends SimpleChannelInboundHandler<ByteBuf> {
  private final ConnectionGuard guard;
  private final ServerHandshake handshake;
  private final ServerHandshake.HelloHandler helloHandler;
  private final Consumer<String> finished;
  private final Consumer<String> denials;
  private boolean isVerifying;
  private boolean isFinished;

  /**
   * @param scope the socket
   * @param finished receives the application at the end, before its first request
   * @param denials receives the reason for closing the connection
   */
  LocalHandshake(
      ConnectionGuard guard,
      ProofScope scope,
      ServerHandshake.HelloHandler helloHandler,
      Consumer<String> finished,
      Consumer<String> denials) {
    this.guard = guard;
    this.handshake = new ServerHandshake(scope);
    this.helloHandler = helloHandler;
    this.finished = finished;
    this.denials = denials;
  }

  /** Type of the next message of the client. */
  LocalSocketFrame expected() {
    if (isFinished) {
      return LocalSocketFrame.RUN_FILES;
    }
    return handshake.expected() == FrameType.PROOF
        ? LocalSocketFrame.PROOF
        : LocalSocketFrame.HELLO;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
    if (!context.channel().isActive()) {
      return;
    }
    try {
      if (isVerifying) {
        refuse(context, "a message before the answer to PROOF");
      } else if (expected() == LocalSocketFrame.PROOF) {
        verify(context, handshake.onProof(HelloProof.parseFrom(new ByteBufInputStream(message))));
      } else {
        Optional<HelloChallenge> challenge =
            handshake.onHello(
                Hello.parseFrom(new ByteBufInputStream(message)), guard, helloHandler);
        if (challenge.isPresent()) {
          send(context, LocalSocketFrame.CHALLENGE, challenge.get());
        } else {
          finish(context);
        }
      }
    } catch (InvalidProtocolBufferException e) {
      refuse(context, "invalid message: " + e.getMessage());
    } catch (SluiceException e) {
      refuse(context, e.getMessage());
    } catch (IOException e) {
      throw new IllegalStateException("I/O error while reading a buffer in memory", e);
    }
  }

  /** Verifies the client's proof on another thread. */
  private void verify(ChannelHandlerContext context, Callable<HelloReply> verification) {
    isVerifying = true;
    guard.verify(
        verification,
        (reply, refusal) -> context.executor().execute(() -> verified(context, reply, refusal)));
  }

  private void verified(ChannelHandlerContext context, HelloReply reply, SluiceException refusal) {
    if (!context.channel().isActive()) {
      return;
    }
    if (refusal != null) {
      refuse(context, refusal.getMessage());
      return;
    }
    handshake.onProved(reply);
    finish(context);
  }

  private void finish(ChannelHandlerContext context) {
    isFinished = true;
    send(context, LocalSocketFrame.HELLO_REPLY, handshake.reply());
    finished.accept(handshake.hello().getApplication());
    context.pipeline().replace(this, null, new LocalTokenCheck(handshake, denials));
  }

  private void refuse(ChannelHandlerContext context, String why) {
    denials.accept("handshake refused: " + why);
    context.close();
  }

  private static void send(
      ChannelHandlerContext context, LocalSocketFrame type, MessageLite message) {
    context.writeAndFlush(Unpooled.wrappedBuffer(type.encode(message)));
  }
}
