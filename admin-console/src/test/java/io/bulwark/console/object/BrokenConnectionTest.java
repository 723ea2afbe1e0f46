package io.bulwark.console.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.bulwark.client.BucketSpec;
import io.bulwark.client.PutOptions;
import io.bulwark.console.MemoryBucket;
import io.bulwark.console.MemoryCluster;
import io.bulwark.console.access.SignedIn;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Uploads and downloads that break, over the web server that the console uses: only it knows how a body ends. */
@NullMarked
class BrokenConnectionTest {
    private final MemoryCluster cluster = new MemoryCluster();
    private final MemoryBucket photos = cluster.createBucket(BucketSpec.of("photos"));
    private final Tomcat server = new Tomcat();
    private final CountDownLatch uploadEnd = new CountDownLatch(1);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    @BeforeEach
    void start() throws Exception {
        SignedIn alice = mock(SignedIn.class);
        when(alice.client()).thenReturn(cluster.client());
        server.setBaseDir(directory.toString());
        server.setHostname("127.0.0.1");
        server.setPort(0);
        server.getConnector();
        Context context = server.addContext("", directory.toString());
        Tomcat.addServlet(context, "transfers", new Transfers(new Objects(alice)));
        context.addServletMappingDecoded("/", "transfers");
        server.start();
    }

    @AfterEach
    void stop() throws Exception {
        server.stop();
        server.destroy();
    }

    private final class Transfers extends HttpServlet {
        private static final long serialVersionUID = 1;

        @SuppressWarnings("serial")
        private final Objects objects;

        Transfers(Objects objects) {
            this.objects = objects;
        }

        @Override
        protected void doPut(HttpServletRequest request, HttpServletResponse response) throws IOException {
            try {
                var _ = objects.upload(
                        "photos", "a", request.getInputStream(), request.getContentLengthLong(), PutOptions.DEFAULT);
            } finally {
                uploadEnd.countDown();
            }
        }

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            if (request.getRequestURI().equals("/zip")) {
                ZipDownload zip = new ZipDownload(photos, false);
                zip.addAll("", "");
                zip.send("photos.zip", response);
            } else {
                new Download(photos, photos.head("a"), false).send(request, response);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 10\r\n\r\n01234",
                "Content-Length: 10\r\n\r\n",
                "Transfer-Encoding: chunked\r\n\r\n",
                "Transfer-Encoding: chunked\r\n\r\n5\r\n012",
                "Transfer-Encoding: chunked\r\n\r\n5\r\n01234",
                "Transfer-Encoding: chunked\r\n\r\n5\r\n01234\r\n",
                "Transfer-Encoding: chunked\r\n\r\n5\r\n01234\r\n0",
                "Transfer-Encoding: chunked\r\n\r\n5\r\n01234\r\nzz\r\n"
            })
    void anUploadThatBreaksLeavesNothing(String rest) throws Exception {
        upload(rest);
        assertThat(photos.keys()).isEmpty();
        assertThat(photos.aborts()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"Content-Length: 5\r\n\r\n01234", "Transfer-Encoding: chunked\r\n\r\n5\r\n01234\r\n0\r\n\r\n"})
    void anUploadThatEndsIsAnObject(String rest) throws Exception {
        upload(rest);
        assertThat(photos.getBytes("a")).isEqualTo("01234".getBytes(StandardCharsets.UTF_8));
    }

    private void upload(String rest) throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
            OutputStream out = socket.getOutputStream();
            out.write(("PUT /a HTTP/1.1\r\nHost: localhost\r\n" + rest).getBytes(StandardCharsets.US_ASCII));
            out.flush();
            socket.shutdownOutput();
            uploadEnd.await();
        }
    }

    @Test
    void aDownloadThatFailsIsNoWholeAnswer() {
        photos.put("a", new byte[500_000]);
        photos.failAfter("a", 400_000);
        assertThatThrownBy(() -> get("/a")).isInstanceOf(IOException.class);
    }

    @Test
    void anArchiveThatFailsIsNoWholeAnswer() throws Exception {
        photos.put("a", new byte[500_000]);
        photos.put("b", new byte[500_000]);
        assertThat(get("/zip").body().length).isGreaterThan(1_000_000);
        photos.failAfter("b", 400_000);
        assertThatThrownBy(() -> get("/zip")).isInstanceOf(IOException.class);
    }

    private HttpResponse<byte[]> get(String path) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
                            .build(),
                    HttpResponse.BodyHandlers.ofByteArray());
        }
    }

    private int port() {
        return server.getConnector().getLocalPort();
    }
}
