package io.bulwark.gateway.s3.http;

import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;

/** Head of a response that has no body, whatever its headers say. */
final class BodilessResponse extends DefaultHttpResponse {
    BodilessResponse(HttpResponseStatus status) {
        super(HttpVersion.HTTP_1_1, status);
    }

    /** Encoder that knows such responses. */
    static final class Encoder extends HttpResponseEncoder {
        @Override
        protected boolean isContentAlwaysEmpty(HttpResponse response) {
            return response instanceof BodilessResponse || super.isContentAlwaysEmpty(response);
        }
    }
}
