# Writes the report of a Ruby process: one JSON object per line.
require 'json'

module RobosmithReport
  # Removes what was added to the environment: runners that the tests start add nothing to the report.
  def self.restore_environment
    added = JSON.parse(ENV.delete('ROBOSMITH_ADDED') || '{}')
    added.each do |name, value|
      next if ENV[name].nil?

      rest = ENV[name].sub(value, '').gsub(/\A[:; ]+|[:; ]+\z/, '')
      ENV[name] = rest.empty? ? nil : rest
    end
  end

  # Returns the files and lines of a backtrace, the innermost first.
  def self.places(backtrace)
    (backtrace || []).first(100).filter_map do |frame|
      found = frame.match(/\A(.+?):(\d+)/)
      found && [File.expand_path(found[1]), found[2].to_i]
    end
  end

  def self.open(runner)
    restore_environment
    file = File.open(File.join(__dir__, "#{runner}-#{Process.pid}.jsonl"), 'a')
    file.sync = true
    write = ->(record) { file.puts(JSON.generate(record)) }
    write.call(type: 'begin', runner: runner, folder: Dir.pwd)
    write
  end
end
