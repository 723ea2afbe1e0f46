package io.bulwark.gateway.s3.xml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.gateway.s3.request.S3Exception;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class XmlReaderTest {
    private static XmlElement parse(String text) {
        return XmlReader.parse(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void elementsAndTextAreRead() {
        XmlElement root = parse("<?xml version=\"1.0\"?><a xmlns=\"http://x/\"><b>1 &amp; 2</b><b/><c>z</c></a>");
        assertThat(root.name()).isEqualTo("a");
        assertThat(root.all("b")).extracting(XmlElement::text).containsExactly("1 & 2", "");
        assertThat(root.textOf("c")).contains("z");
        assertThatThrownBy(() -> root.child("b")).isInstanceOf(S3Exception.class);
        assertThatThrownBy(() -> root.allowOnly("b")).hasMessageContaining("unknown element c");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "<a>",
                "<a></b>",
                "<a>&x;</a>",
                "<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>",
                "<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>",
                "<a/><b/>",
                "<a>\u0001</a>"
            })
    void badDocumentsAreMalformed(String text) {
        assertThatThrownBy(() -> parse(text))
                .isInstanceOfSatisfying(
                        S3Exception.class, e -> assertThat(e.code()).isEqualTo("MalformedXML"));
    }

    @Test
    void depthAndSizeAreBounded() {
        assertThatThrownBy(() -> parse("<a>".repeat(50) + "</a>".repeat(50))).isInstanceOf(S3Exception.class);
        byte[] large = ("<a>" + "x".repeat(XmlReader.BYTES_MAX) + "</a>").getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> XmlReader.read(new ByteArrayInputStream(large), "a"))
                .hasMessageContaining("longer than");
        assertThatThrownBy(() -> XmlReader.read(new ByteArrayInputStream("<b/>".getBytes(StandardCharsets.UTF_8)), "a"))
                .hasMessageContaining("root");
    }

    @Test
    void writtenTextReturnsUnchanged() {
        String text = "<&>\"' \r\n\té\uD83D\uDE00";
        byte[] document = new XmlWriter("r").element("t", text).toBytes();
        assertThat(XmlReader.parse(document).child("t").map(XmlElement::text)).contains(text);
    }
}
