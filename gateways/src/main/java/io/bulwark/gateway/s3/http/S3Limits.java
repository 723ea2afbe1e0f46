package io.bulwark.gateway.s3.http;

/**
 * Bounds of a server.
 *
 * @param connectionsMax open connections; one more takes the place of the one longest without a request, or is closed
 * @param requestsMax requests in processing; more are answered with {@code SlowDown}
 */
public record S3Limits(int connectionsMax, int requestsMax, Head head, Times times) {
    public S3Limits {
        if (connectionsMax < 1 || requestsMax < 1) {
            throw new IllegalArgumentException("a server without connections or requests");
        }
    }

    /** Returns how many of the requests in processing may be one sender's: three quarters. */
    int requestsOfOneMax() {
        return requestsMax - requestsMax / 4;
    }

    /** Returns the defaults: 1,024 connections, 128 requests. */
    public static S3Limits standard() {
        return new S3Limits(1_024, 128, Head.standard(), Times.standard());
    }

    /**
     * Bounds of the head of a request.
     *
     * @param lineBytesMax length of the request line
     * @param headerBytesMax length of all headers
     * @param headersMax number of headers
     */
    public record Head(int lineBytesMax, int headerBytesMax, int headersMax) {
        /** Returns the defaults: 16 KiB, 32 KiB and 200. */
        public static Head standard() {
            return new Head(16 << 10, 32 << 10, 200);
        }
    }

    /**
     * Time limits.
     *
     * @param headMillis from the connection to the end of the first request's head
     * @param idleMillis from the end of a response to the end of the next request's head
     * @param stallMillis time in which a client must send 64 KiB, or take 128 KiB, while the server waits for it
     * @param lingerMillis time in which the server discards what arrives after its last response
     * @param stopMillis time that requests have to finish when the server stops
     */
    public record Times(int headMillis, int idleMillis, int stallMillis, int lingerMillis, int stopMillis) {
        public Times {
            if (Math.min(Math.min(headMillis, idleMillis), Math.min(stallMillis, lingerMillis)) < 1 || stopMillis < 0) {
                throw new IllegalArgumentException("a time limit is not positive");
            }
        }

        /** Returns the defaults: 20, 60, 30, 3 and 10 seconds. */
        public static Times standard() {
            return new Times(20_000, 60_000, 30_000, 3_000, 10_000);
        }
    }
}
