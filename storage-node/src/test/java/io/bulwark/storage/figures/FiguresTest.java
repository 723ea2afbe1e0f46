package io.bulwark.storage.figures;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.text.Chart;
import io.bulwark.client.text.Chart.Line;
import io.bulwark.client.text.Chart.Point;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.pasis.PasisGroup;
import io.bulwark.protocol.pasis.ReadPlan;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.storage.figures.CappedLinks.Network;
import io.bulwark.storage.figures.FigureCluster.Read;
import io.bulwark.storage.figures.FigureCluster.Setup;
import io.bulwark.storage.figures.FigureCluster.Versions;
import java.io.IOException;
import java.io.StringReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;

/** Tests the output, the charts, the networks and the faulty nodes of the figures' benchmarks. */
class FiguresTest {
    @Test
    void aChartIsWellFormedAndHoldsEveryPointWithinItsFrame() throws Exception {
        Chart chart = new Chart(
                "a < b & c",
                "x",
                "ms",
                List.of(
                        new Line("one", List.of(new Point(1, 0), new Point(2, 13), new Point(3.5, 7))),
                        new Line("two", List.of(new Point(2, 0.5)))));
        Element svg = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(chart.svg())))
                .getDocumentElement();
        var circles = svg.getElementsByTagName("circle");
        assertThat(circles.getLength()).isEqualTo(4);
        List<Element> points =
                IntStream.range(0, 4).mapToObj(i -> (Element) circles.item(i)).toList();
        assertThat(points).allSatisfy(point -> {
            assertThat(Double.parseDouble(point.getAttribute("cx"))).isBetween(60.0, 490.0);
            assertThat(Double.parseDouble(point.getAttribute("cy"))).isBetween(60.0, 330.0);
        });
        assertThat(Double.parseDouble(points.get(1).getAttribute("cy")))
                .as("what is more is higher up")
                .isLessThan(Double.parseDouble(points.get(2).getAttribute("cy")));
        var texts = svg.getElementsByTagName("text");
        assertThat(IntStream.range(0, texts.getLength())
                        .mapToObj(i -> texts.item(i).getTextContent())
                        .collect(Collectors.toSet()))
                .contains("a < b & c", "one", "two", "0", "5", "10", "15", "1", "3.5");
    }

    @Test
    void theIntervalHoldsTheMedianAndNarrowsWithMoreValues() {
        Sample few = new Sample(DoubleStream.of(5, 1, 4, 2, 3).toArray());
        assertThat(few.median()).isEqualTo(3);
        assertThat(few.interval()[0]).isBetween(1.0, 3.0);
        assertThat(few.interval()[1]).isBetween(3.0, 5.0);
        Sample many =
                new Sample(IntStream.range(0, 401).mapToDouble(i -> 1 + i % 5).toArray());
        assertThat(many.interval()[1] - many.interval()[0]).isLessThanOrEqualTo(few.interval()[1] - few.interval()[0]);
        assertThat(new Sample(new double[] {7}).text("%.1f")).isEqualTo("7.0 (7.0 to 7.0)");
        assertThat(new Sample(new double[] {1, 2}).median()).isEqualTo(1.5);
    }

    @Test
    void aLiarCostsASecondRoundAndNeverTheValue(@TempDir Path directory) throws Exception {
        ProtectionPolicy policy = ProtectionPolicy.masking(1, 5, 4 << 10);
        Setup setup = new Setup(List.of(policy), 1, 1, new Versions(true, 1 << 20, 1 << 10), Network.LOOPBACK);
        try (FigureCluster cluster = new FigureCluster(setup, directory)) {
            PasisGroup group = cluster.group(policy, 0);
            Bytes content = cluster.content(new SplittableRandom(1));
            var _ = cluster.write(0, group, content).get();
            assertThat(cluster.settles(policy, 10_000)).isTrue();
            ReadPlan blind = new ReadPlan(List.of(0, 1, 2, 3, 4), 0, 3);
            Read honest = cluster.read(0, group, blind).get();
            assertThat(honest.content()).isEqualTo(content);
            assertThat(honest.report().secondRound()).isFalse();

            cluster.setLiars(Set.of(0));
            Read deceived = cluster.read(0, group, blind).get();
            assertThat(deceived.content()).isEqualTo(content);
            assertThat(deceived.report().secondRound()).isTrue();
            assertThat(deceived.report().asked()).isEqualTo(4);
            Read prepared = cluster.read(0, group, new ReadPlan(List.of(0, 1, 2, 3, 4), 1, 4))
                    .get();
            assertThat(prepared.content()).isEqualTo(content);
            assertThat(prepared.report().secondRound()).isFalse();
            assertThat(prepared.report().bytes())
                    .as("the liar sends a copy too")
                    .isEqualTo(4L * content.length());

            // The forged version has the votes of b + 1 nodes: this liar is really wrong.
            cluster.setLiars(Set.of(0, 1, 2, 3));
            Read outvoted = cluster.read(0, group, blind).get();
            assertThat(outvoted.content()).isNotEqualTo(content);
        }
    }

    @Test
    void aLinkDelaysEachDirectionAndKeepsToItsRate() throws Exception {
        long delayMicros = 30_000;
        PrincipalId client = PrincipalId.client(0);
        PrincipalId node = PrincipalId.node(0);
        try (ServerSocket echo = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                CappedLinks links = new CappedLinks(new Network(1_000_000, 1_000_000, delayMicros))) {
            Thread.ofVirtual().start(() -> echo(echo));
            InetSocketAddress relay =
                    links.relay(client, node, new InetSocketAddress(echo.getInetAddress(), echo.getLocalPort()));
            try (Socket socket = new Socket(relay.getAddress(), relay.getPort())) {
                assertThat(roundTripMillis(socket, 1)).isGreaterThanOrEqualTo(60);
                // Each card passes 100 KB in 100 ms.
                assertThat(roundTripMillis(socket, 100_000)).isGreaterThanOrEqualTo(60 + 100);
            }
        }
    }

    private static double roundTripMillis(Socket socket, int bytes) throws IOException {
        long begun = System.nanoTime();
        socket.getOutputStream().write(new byte[bytes]);
        assertThat(socket.getInputStream().readNBytes(bytes)).hasSize(bytes);
        return (System.nanoTime() - begun) / 1e6;
    }

    private static void echo(ServerSocket server) {
        try (Socket accepted = server.accept()) {
            var _ = accepted.getInputStream().transferTo(accepted.getOutputStream());
        } catch (IOException e) {
            // The test is over.
        }
    }
}
