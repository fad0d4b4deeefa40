package io.sluice.common.rpc;

import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.sluice.common.auth.CallDenials;
import io.sluice.common.auth.DeniedCall;
import io.sluice.common.auth.DeniedCall.Cause;
import io.sluice.common.net.PeerConnections;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * Ends calls with an unparsable request with INVALID_ARGUMENT. gRPC itself treats them as a failure
 * of the server: it logs a stack trace at ERROR and replies UNKNOWN. Thread-safe.
 */
final class MalformedRequests implements ServerInterceptor {
  private final CallDenials denials;

  MalformedRequests(CallDenials denials) {
    this.denials = denials;
  }

  /**
   * A service that parses malformed requests as null instead of throwing. Only for use with this
   * interceptor.
   */
  static ServerServiceDefinition nullIfMalformed(ServerServiceDefinition service) {
    ServiceDescriptor original = service.getServiceDescriptor();
    ServiceDescriptor.Builder descriptor =
        ServiceDescriptor.newBuilder(original.getName())
            .setSchemaDescriptor(original.getSchemaDescriptor());
    List<ServerMethodDefinition<?, ?>> methods = new ArrayList<>();
    for (ServerMethodDefinition<?, ?> method : service.getMethods()) {
      ServerMethodDefinition<?, ?> changed = nullIfMalformed(method);
      descriptor.addMethod(changed.getMethodDescriptor());
      methods.add(changed);
    }
    ServerServiceDefinition.Builder changed = ServerServiceDefinition.builder(descriptor.build());
    methods.forEach(changed::addMethod);
    return changed.build();
  }

  private static <Q, R> ServerMethodDefinition<Q, R> nullIfMalformed(
      ServerMethodDefinition<Q, R> method) {
    MethodDescriptor<Q, R> descriptor = method.getMethodDescriptor();
    Marshaller<Q> requests = descriptor.getRequestMarshaller();
    Marshaller<Q> tolerant =
        new Marshaller<>() {
          @Override
          public InputStream stream(Q request) {
            return requests.stream(request);
          }

          @Override
          public Q parse(InputStream stream) {
            try {
              return requests.parse(stream);
            } catch (StatusRuntimeException malformed) {
              return null;
            }
          }
        };
    return ServerMethodDefinition.create(
        descriptor.toBuilder(tolerant, descriptor.getResponseMarshaller()).build(),
        method.getServerCallHandler());
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    return new SimpleForwardingServerCallListener<>(next.startCall(call, headers)) {
      private boolean refused;

      @Override
      public void onMessage(Q request) {
        if (request != null) {
          super.onMessage(request);
          return;
        }
        refused = true;
        end(call);
      }

      @Override
      public void onHalfClose() {
        if (!refused) {
          super.onHalfClose();
        }
      }
    };
  }

  private void end(ServerCall<?, ?> call) {
    String reason = "the request is not a message of this method";
    denials.denied(
        new DeniedCall(
            Cause.MALFORMED,
            call.getMethodDescriptor().getFullMethodName(),
            "",
            PeerConnections.text(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR)),
            reason));
    call.close(Status.INVALID_ARGUMENT.withDescription(reason), new Metadata());
  }
}
