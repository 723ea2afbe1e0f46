package io.bulwark.gateway.s3.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.gateway.s3.body.BodyReader;
import io.bulwark.gateway.s3.request.Addressing;
import io.bulwark.gateway.s3.request.Caller;
import io.bulwark.gateway.s3.request.RequestHead;
import io.bulwark.gateway.s3.request.RequestTarget;
import io.bulwark.protocol.id.PrincipalId;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class HttpExchangeTest {
    @Test
    void valuesAreTextWithoutTheSpaceAround() {
        RequestHead head = new RequestHead(
                "PUT",
                RequestTarget.parse("/b/k"),
                new TreeMap<>(Map.of(
                        "x-amz-object-lock-mode",
                        List.of(" COMPLIANCE\t"),
                        "x-amz-meta-a",
                        List.of("\u00c3\u00a4"),
                        "x-amz-meta-b",
                        List.of("\u00e4"))));
        EmbeddedChannel channel = new EmbeddedChannel();
        HttpExchange exchange = new HttpExchange(
                head,
                new Addressing.Place(Optional.of("b"), Optional.of("k")),
                () -> new Caller(PrincipalId.client(1), Optional.empty()),
                new HttpExchange.Content(
                        BodyReader.openFile(head, InputStream.nullInputStream(), 0, 0),
                        OptionalLong.empty(),
                        Optional.empty()),
                new Responder(
                        channel,
                        new WriteGate(channel, 1),
                        new Responder.RequestIds("1", "2"),
                        new Responder.Trait(false, false, false, false),
                        new RequestBody(() -> {}, () -> {}, 1)));
        assertThat(exchange.headers("x-amz-object-lock-mode")).containsExactly("COMPLIANCE");
        assertThat(exchange.headers("x-amz-meta-a")).containsExactly("\u00e4");
        assertThat(exchange.headers("x-amz-meta-b")).as("Latin-1").containsExactly("\u00e4");
    }
}
