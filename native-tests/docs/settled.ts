/** What a program printed, without what differs from run to run: times, ports and ids are those of docs/logging.md. */
export const settled = (printed: string): string =>
  printed
    .replace(/\d\d:\d\d:\d\d\.\d{3}/g, "09:30:12.114")
    .replace(/"time":\d+/g, '"time":1767225600000')
    .replace(/"duration_ms":[\d.]+/g, '"duration_ms":1.25')
    .replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:8080")
    .replace(/(trace_id"?[:=]"?)[0-9a-f]{32}/g, "$14bf92f3577b34da6a3ce929d0e0e4736")
    .replace(/(span_id"?[:=]"?)[0-9a-f]{16}/g, "$1a2fb4a1d1a96d312")
    .replace(/"request_id":"[0-9a-f]{8}-[0-9a-f-]{27}"/g, '"request_id":""');
